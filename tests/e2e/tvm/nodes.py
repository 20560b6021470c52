"""Shared by the programs that are put together node by node."""

import tvm
from tvm import tir

I32 = "int32"


def call(dtype, name, *args):
    """A call of a builtin operator, with whatever dtype."""
    return tir.Call(dtype, tvm.ir.Op.get("tir." + name), list(args))


def use(value):
    """A statement that holds an expression."""
    return tir.Evaluate(call(I32, "call_extern", tir.StringImm("use"), value))


def buffer(name, shape=(16,), dtype="float32", **fields):
    return tir.decl_buffer(shape, dtype, name, **fields)


def seq(*statements):
    return tir.SeqStmt(list(statements)) if len(statements) > 1 else statements[0]


def _data(made):
    return made.data


def _symbols(buffers):
    """Variables that a buffer defines by its shape, its strides or its offset."""
    for made in buffers:
        for value in (*made.shape, *made.strides, made.elem_offset):
            if isinstance(value, tir.Var):
                yield value


def _defined_by(node):
    """The variables that a statement or an expression defines."""
    if isinstance(node, (tir.For,)):
        return [node.loop_var]
    if isinstance(node, (tir.LetStmt, tir.Let)):
        return [node.var]
    if isinstance(node, (tir.Allocate, tir.AllocateConst)):
        return [node.buffer_var]
    if isinstance(node, tir.Block):
        views = [match.buffer for match in node.match_buffers]
        made = [*node.alloc_buffers, *views]
        return [axis.var for axis in node.iter_vars] + [*map(_data, made), *_symbols(made)]
    if isinstance(node, tir.AttrStmt) and isinstance(node.node, tir.IterVar):
        return [node.node.var]
    return []


def _undefined(body, defined):
    """The variables that `body` uses and nothing defines, in the order of their use."""
    seen, known = [], {var.handle.value for var in defined}

    def visit(node):
        known.update(var.handle.value for var in _defined_by(node))
        if isinstance(node, (tir.BufferLoad, tir.BufferStore)):
            seen.append(node.buffer.data)
        if isinstance(node, tir.Var):
            seen.append(node)

    tir.stmt_functor.post_order_visit(body, visit)
    found = {var.handle.value: var for var in seen}  # in the order of the first use
    return [var for handle, var in found.items() if handle not in known]


def function(body, buffers=(), params=(), **attrs):
    """A PrimFunc with parameters for `buffers`, then `params`, then whatever is left undefined.

    TVM holds two functions for different if they have variables that nothing defines.
    """
    handles = [tir.Var(made.name + "_handle", "handle") for made in buffers]
    defined = [*params, *handles, *map(_data, buffers), *_symbols(buffers)]
    others = _undefined(body, defined)
    made = tir.PrimFunc([*handles, *params, *others], body, buffer_map=dict(zip(handles, buffers)))
    for key, value in attrs.items():
        made = made.with_attr(key, value)
    return made


def evaluated(values):
    """A function that evaluates expressions."""
    return function(seq(*map(tir.Evaluate, values)))


def used(values):
    """A function that hands expressions to a callee."""
    return function(seq(*map(use, values)))
