"""Which losses of a tir-N.json explain how it differs from the truth.

Both are documents of mlf: one of the text, one of what TVM has in memory. Their functions are walked
side by side; where they part, `fields` of a loss of the text has to name the place. This follows the
words of schemas/losses.md alone.
"""

# TVM's structural equality does not look at these.
UNSEEN = {"name", "name_hint", "span", "scope"}
VARIABLES = {"var", "loop_var", "buffer_var", "param"}
# A loss of a field is one of what is below it, but not of the statements in it.
STATEMENTS = {"body", "then_case", "else_case", "block", "init", "attrs"}


class Side:
    """A document, and one function of it."""

    def __init__(self, document, function):
        self.tables = [document, function]
        self.exprs = function["exprs"]

    def entry(self, table, key):
        for owner in self.tables:
            for entry in owner[table]:
                if entry["id"] == key:
                    return entry
        # Of a function before this one.
        return None

    def resolved(self, value):
        """What is behind a reference to a table, with its kind."""
        while isinstance(value, dict):
            if value.get("node") == "ExprRef":
                value = self.exprs[value["expr"]]
            elif "object" in value and len(value) == 1:
                value = self.tables[0]["objects"][value["object"]]
            elif "constant" in value and len(value) == 1:
                value = {"node": "NDArray", **self.tables[0]["constants"][value["constant"]]}
            elif "buffer" in value and len(value) == 1:
                value = self.buffer(value["buffer"])
            else:
                break
        return value

    def variable(self, key):
        return self.entry("vars", key)

    def buffer(self, key):
        entry = self.entry("buffers", key)
        return entry and {"node": "Buffer", **entry}


def kind_of(value):
    if isinstance(value, dict):
        return value.get("node", "Map")
    return {str: "String", list: "Array"}.get(type(value))


class Walk:
    """Collects the places where two functions part: `Kind` or `Kind.field`, and the fields around."""

    def __init__(self, left, right):
        self.left, self.right = left, right
        self.places = set()
        self.pairs = set()

    def part(self, around, *names):
        self.places.add((names, around))

    def node(self, left, right, around):
        left, right = self.left.resolved(left), self.right.resolved(right)
        if isinstance(left, list) and isinstance(right, list):
            return self.list(left, right, around)
        if isinstance(left, dict) and isinstance(right, dict) and kind_of(left) == kind_of(right):
            return self.fields(left, right, around)
        if not isinstance(left, (dict, list)) and not isinstance(right, (dict, list)):
            # Integers of more than 32 bits are strings: the dtype says whether that is a difference.
            return None if str(left) == str(right) else self.part(around)
        return self.part(around, *sorted(filter(None, {kind_of(left), kind_of(right)})))

    def fields(self, left, right, around):
        for key in sorted(left.keys() | right.keys()):
            if key in UNSEEN or key in ("id", "node"):
                continue
            # What follows from an operand is no difference of its own.
            if key == "dtype" and self.has_other_operands(left, right):
                continue
            # Values of maps are at the place of the map.
            place = [f"{left['node']}.{key}"] if "node" in left else []
            outer = () if key in STATEMENTS else around
            self.field(key, left.get(key), right.get(key), (*outer, *place))

    def has_other_operands(self, left, right):
        mine, other = (
            [self.dtype(side, node.get(key)) for key in ("a", "b", "value", "true_value")]
            for side, node in ((self.left, left), (self.right, right))
        )
        return mine != other

    @staticmethod
    def dtype(side, value):
        value = side.resolved(value)
        return value.get("dtype") if isinstance(value, dict) else None

    def field(self, key, left, right, around):
        place = around[-1] if around else None
        is_id = type(left) is int and type(right) is int
        if is_id and (key in VARIABLES or place == "Buffer.data"):
            return self.pair("variable", left, right, around)
        if is_id and key == "buffer":
            return self.pair("buffer", left, right, around)
        if is_id and place == "AllocateConst.data":
            return self.node({"constant": left}, {"constant": right}, around)
        return self.node(left, right, around)

    def pair(self, table, left, right, around):
        """Entries of a table are compared where they are met first."""
        if (table, left, right) in self.pairs:
            return
        self.pairs.add((table, left, right))
        mine, other = getattr(self.left, table)(left), getattr(self.right, table)(right)
        if mine and other:
            self.node(mine, other, around)

    def list(self, left, right, around):
        inner = () if around[-1:] and around[-1].startswith("PrimFunc.") else around
        if len(left) != len(right):
            left, right = self.without_sequences(left), self.without_sequences(right)
        if len(left) != len(right):
            self.part(around)
            return
        for mine, other in zip(left, right):
            if around[-1:] == ("PrimFunc.params",):
                self.pair("variable", mine, other, around)
            else:
                self.node(mine, other, inner)

    def without_sequences(self, statements):
        """A sequence is an entry of a list of statements; what it governs follows it."""
        kept = [one for one in statements if kind_of(one) != "SeqStmt"]
        if len(kept) < len(statements):
            self.part((), "SeqStmt")
        return kept


def parts_of(function):
    """The fields of a PrimFunc; maps from parameters in the order of the parameters."""
    for part in ("params", "ret_type", "buffer_map", "preflattened_buffer_map", "attrs", "body"):
        value = function.get(part)
        if part.endswith("buffer_map") and value:
            value = sorted(value, key=lambda pair: function["params"].index(pair["param"]))
        yield f"PrimFunc.{part}", value


def covers(loss, function, place):
    if loss["scope"] == "function" and function not in {one["function"] for one in loss["places"]}:
        return False
    names, around = place
    return any(field in loss["fields"] for field in (*names, *around))


def explain(text, truth, functions):
    """Codes of the losses that explain how these functions differ, and places that none explains."""
    codes, unexplained = set(), set()
    for name in functions:
        left, right = (
            next(one for one in document["functions"] if one["name"] == name)
            for document in (truth, text)
        )
        walk = Walk(Side(truth, left), Side(text, right))
        for (part, mine), (_, other) in zip(parts_of(left), parts_of(right)):
            walk.node(mine, other, (part,))
        for place in walk.places:
            found = {one["code"] for one in text["losses"] if covers(one, name, place)}
            codes |= found
            if not found:
                names, around = place
                unexplained.add(" or ".join(names or around[-1:]))
    return sorted(codes), sorted(unexplained)
