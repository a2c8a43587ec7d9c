"""The layers of BERT and MPNet in NumPy: their states, and the slopes of their weights.

    a = softmax(q kᵀ / √d [+ bias of the distance]) v, head by head
    x' = norm(x + a W_o + b_o)                     xⁿ⁺¹ = norm(x' + gelu(x' W_1 + b_1) W_2 + b_2)

A layer that is only asked multiplies every window by itself, so that its numbers do not depend on the others. For
slopes, windows of any lengths stand one below the other, (N, D): products of large matrices take most of the time.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import erf

from sstag.foundation.arrays import Singles

DENSITY = np.float32((2 * np.pi) ** -0.5)  # of the normal distribution at 0


@dataclass(frozen=True)
class Affine:
    """x ↦ x W + b."""

    weights: Singles  # (in, out)
    bias: Singles

    def __call__(self, x: Singles) -> Singles:
        result: Singles = x @ self.weights
        result += self.bias
        return result

    def back(self, d: Singles) -> Singles:
        """∂/∂x."""
        result: Singles = d @ self.weights.T
        return result


@dataclass(frozen=True)
class Norm:
    """x ↦ (x − mean) / deviation · w + b, row by row."""

    weights: Singles
    bias: Singles
    epsilon: np.float32

    def __call__(self, x: Singles) -> Singles:
        x = x - x.mean(axis=-1, keepdims=True)
        x /= np.sqrt(np.einsum("bpd,bpd->bp", x, x)[:, :, None] / np.float32(x.shape[-1]) + self.epsilon)
        x *= self.weights
        x += self.bias
        return x

    def standard(self, x: Singles) -> tuple[Singles, Singles]:
        """Rows with the mean 0 and the deviation 1, and the deviations that they had."""  # (N, D), (N, 1)
        x = x - x.mean(axis=-1, keepdims=True)
        deviation = np.sqrt(np.einsum("nd,nd->n", x, x)[:, None] / np.float32(x.shape[-1]) + self.epsilon)
        x /= deviation
        return x, deviation

    def back(self, d: Singles, standard: Singles, deviation: Singles) -> Singles:
        """∂/∂x."""
        d = d * self.weights
        along = np.einsum("nd,nd->n", d, standard)[:, None] / np.float32(d.shape[-1])
        d -= d.mean(axis=-1, keepdims=True) + standard * along
        d /= deviation
        return d


class _Way(NamedTuple):
    """The numbers that a layer computed, which the way back needs."""

    x: Singles
    bounds: Sequence[tuple[int, int]]  # of each window
    three: Singles  # q, k and v
    attention: list[Singles]  # (H, P, P) of each window
    mixed: Singles
    first: tuple[Singles, Singles]
    middle: Singles
    wide: Singles
    active: Singles
    second: tuple[Singles, Singles]


@dataclass(frozen=True)
class Layer:
    """Attention of pieces to each other, and a network of two layers for each piece."""

    heads: int
    attention: Affine  # q, k and v side by side
    out: Affine
    first: Norm
    wider: Affine
    back: Affine
    second: Norm

    @property
    def parts(self) -> tuple[Affine | Norm, ...]:
        return (self.attention, self.out, self.first, self.wider, self.back, self.second)

    @property
    def arrays(self) -> tuple[Singles, ...]:
        """All weights."""
        return tuple(array for part in self.parts for array in (part.weights, part.bias))

    def __call__(self, x: Singles, bias: Singles | None) -> Singles:
        """The next states. (B, P, D) → (B, P, D)"""
        windows, length, width = x.shape
        each = width // self.heads
        q, k, v = self.attention(x).reshape(windows, length, 3, self.heads, each).transpose(2, 0, 3, 1, 4)
        scores = self._attention(q, k, bias)
        x = self.first(x + self.out((scores @ v).transpose(0, 2, 1, 3).reshape(x.shape)))
        return self.second(x + self.back(gelu(self.wider(x))))

    def up(
        self, x: Singles, bounds: Sequence[tuple[int, int]], biases: Sequence[Singles | None]
    ) -> tuple[Singles, _Way]:
        """The next states of windows that stand one below the other, and what `down` needs. (N, D) → (N, D)"""
        three, mixed, found = self.attention(x), np.empty_like(x), []
        for (begin, end), bias in zip(bounds, biases, strict=True):
            q, k, v = self._heads(three[begin:end], 3)
            attention = self._attention(q, k, bias)
            mixed[begin:end] = (attention @ v).transpose(1, 0, 2).reshape(end - begin, -1)
            found.append(attention)
        first = self.first.standard(x + self.out(mixed))
        middle = first[0] * self.first.weights + self.first.bias
        wide = self.wider(middle)
        active = gelu(wide)
        second = self.second.standard(middle + self.back(active))
        way = _Way(x, bounds, three, found, mixed, first, middle, wide, active, second)
        return second[0] * self.second.weights + self.second.bias, way

    def down(self, way: _Way, d: Singles) -> tuple[Singles, tuple[Singles, ...]]:
        """∂/∂x, and ∂/∂ each of `arrays`, where ∂/∂ the next states is `d`."""
        slopes = [(d * way.second[0]).sum(axis=0), d.sum(axis=0)]
        d = self.second.back(d, *way.second)
        slopes = [way.active.T @ d, d.sum(axis=0), *slopes]
        d_wide = self.back.back(d)
        d_wide *= slope_of_gelu(way.wide)
        slopes = [way.middle.T @ d_wide, d_wide.sum(axis=0), *slopes]
        d += self.wider.back(d_wide)
        slopes = [(d * way.first[0]).sum(axis=0), d.sum(axis=0), *slopes]
        d = self.first.back(d, *way.first)
        slopes = [way.mixed.T @ d, d.sum(axis=0), *slopes]
        d_mixed, d_three = self.out.back(d), np.empty_like(way.three)
        for (begin, end), attention in zip(way.bounds, way.attention, strict=True):
            q, k, v = self._heads(way.three[begin:end], 3)
            (d_own,) = self._heads(d_mixed[begin:end], 1)
            d_scores = d_own @ v.transpose(0, 2, 1)
            d_scores -= np.einsum("hpq,hpq->hp", d_scores, attention)[:, :, None]
            d_scores *= attention
            d_scores *= np.float32(q.shape[-1] ** -0.5)
            parts = np.stack([d_scores @ k, d_scores.transpose(0, 2, 1) @ q, attention.transpose(0, 2, 1) @ d_own])
            d_three[begin:end] = parts.transpose(2, 0, 1, 3).reshape(end - begin, -1)
        slopes = [way.x.T @ d_three, d_three.sum(axis=0), *slopes]
        return d + self.attention.back(d_three), tuple(slopes)

    def _heads(self, x: Singles, count: int) -> Singles:
        """Columns by what they are and by head. (P, count · D) → (count, H, P, D / H)"""
        return x.reshape(len(x), count, self.heads, -1).transpose(1, 2, 0, 3)

    def _attention(self, q: Singles, k: Singles, bias: Singles | None) -> Singles:
        scores: Singles = q @ k.swapaxes(-1, -2)
        scores *= np.float32(q.shape[-1] ** -0.5)
        if bias is not None:
            scores += bias
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        return scores


def gelu(x: Singles) -> Singles:
    """x Φ(x)."""
    half = erf(x * np.float32(0.5**0.5))
    half += np.float32(1)
    half *= x
    half *= np.float32(0.5)
    return np.asarray(half, np.float32)


def slope_of_gelu(x: Singles) -> Singles:
    """Φ(x) + x φ(x)."""
    found = np.exp(x * x * np.float32(-0.5))
    found *= x * DENSITY
    found += (erf(x * np.float32(0.5**0.5)) + np.float32(1)) * np.float32(0.5)
    return np.asarray(found, np.float32)
