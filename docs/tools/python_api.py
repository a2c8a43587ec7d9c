"""The functions of the Python interface with their signatures and docstrings."""

import inspect

import sstag


def text() -> str:
    """A heading, a signature and a docstring for each public name."""
    return "\n\n".join(_part(name) for name in sstag.__all__ if name != "SstagError")


def _part(name: str) -> str:
    member = getattr(sstag, name)
    return f"### sstag.{name}\n\n```\n{_signature(name, member)}\n```\n\n{inspect.getdoc(member) or ''}"


def _signature(name: str, member: object) -> str:
    """The signature, with a parameter on each line if it is long."""
    signature = inspect.signature(member)  # type: ignore[arg-type]
    shown = []
    star = False
    for one in signature.parameters.values():
        if one.kind is one.KEYWORD_ONLY and not star:
            shown.append("*")
            star = True
        default = "" if one.default is one.empty else f" = {_default(one.default)}"
        prefix = "**" if one.kind is one.VAR_KEYWORD else ""
        shown.append(f"{prefix}{one.name}{default}")
    short = f"sstag.{name}({', '.join(shown)})"
    return short if len(short) <= 100 else f"sstag.{name}(\n" + "".join(f"    {one},\n" for one in shown) + ")"


def _default(value: object) -> str:
    return "…" if callable(value) else repr(value)
