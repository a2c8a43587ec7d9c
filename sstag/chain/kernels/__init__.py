"""The kernels of the lattice, each under the formula it computes, in the notation of methods §2.

All of them work on one batch: several sentences one below the other, sentence s in the rows offsets[s]:offsets[s + 1].
Every sentence is either *scaled* or, where that would lose a path, *in logs* (`in_log[s]`), and its rows then mean:

    array    scaled                                        in logs
    w        w_t(y) = exp(u_t(y) - shift_t)                log w_t(y)
    c        c_t = Σ_y of the unnormalised α_t             log c_t
    alpha    α_t = (α_{t-1} P) ∘ w_t / c_t                 log α_t
    beta     β_{t-1} = P v_t                               log β_{t-1}
    v        v_t = β_t ∘ w_t / c_t                         unused

with P = exp(e - max e), so that p_t = α_t ∘ β_t and p_t(y', y) = α_{t-1}(y') P(y', y) v_t(y). `log_p` is log P.

Arrays are C-contiguous and writable, float64, bool, int32 (edge_index) or int64 (offsets), and an optional one is given
with zero rows. None allocates: where it needs memory of its own, it is given some, just before what it fills.
"""
