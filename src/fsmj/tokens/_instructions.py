"""Instructions of the processor that numba has no name for."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

_BYTE, _HALF, _WORD = (ir.IntType(bits) for bits in (8, 32, 64))


def _place(context: Any, builder: Any, kind: Any, array: Any, at: Any) -> Any:
    """Return the address of an array's row."""
    parts = context.make_array(kind)(context, builder, array)
    begin = builder.bitcast(parts.data, _BYTE.as_pointer())
    return builder.gep(begin, [builder.mul(at, builder.extract_value(parts.strides, 0))])


def _eight(_: Any, text: Any, at: Any) -> Any:
    """Return the eight bytes of a text from a place on as one number, the first one lowest."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _place(context, builder, signature.args[0], *arguments)
        return builder.load(builder.bitcast(place, _WORD.as_pointer()), align=1)

    return types.uint64(text, types.int64), generate


def _put_eight(_: Any, text: Any, at: Any, number: Any) -> Any:
    """Write the eight bytes of a number into a text from a place on, the lowest one first."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _place(context, builder, signature.args[0], *arguments[:2])
        builder.store(arguments[2], builder.bitcast(place, _WORD.as_pointer()), align=1)
        return context.get_dummy_value()

    return types.void(text, types.int64, types.uint64), generate


def _fetch(_: Any, table: Any, row: Any) -> Any:
    """Let the memory send a row of a table, which will be needed soon."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _place(context, builder, signature.args[0], *arguments)
        kind = ir.FunctionType(ir.VoidType(), [place.type, _HALF, _HALF, _HALF])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", (place.type,), kind)
        builder.call(prefetch, [place, _HALF(0), _HALF(3), _HALF(1)])  # to read, and keep, data
        return context.get_dummy_value()

    return types.void(table, types.int64), generate


def _lowest_bit(_: Any, bits: Any) -> Any:
    """Return the place of the lowest bit of a number that is not 0."""

    def generate(_: Any, builder: Any, __: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.IntType(1)(1))

    return types.int64(types.uint64), generate


eight: Any = intrinsic(_eight)
put_eight: Any = intrinsic(_put_eight)
fetch: Any = intrinsic(_fetch)
lowest_bit: Any = intrinsic(_lowest_bit)
