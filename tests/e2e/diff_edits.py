"""mlf diff notices an edit of any member of any archive, and is silent about other forms of an archive."""

import gzip
import json
import re
import unittest

import program_case
import schemas
import support

C = re.compile(r"codegen/host/.*\.(c|cc)$")
KERNEL = re.compile(rb"^[^\n;{}]*?\b(tvmgen_\w+|\w*main\w*)\([^;{}]*\) ?\{.*?^\}", re.MULTILINE | re.DOTALL)

ARRAY = re.compile(
    rb"(?:\[\d+\](?: __attribute__\S*)? = |^ *\.\w+ = )\{(.*?)\}", re.DOTALL | re.MULTILINE
)


def replaced(content, begin, end, new):
    return content[:begin] + new + content[end:]


# Each edit returns the new content, and what the output has to name beside the member; or None if the member
# has no such place.


def one_constant(name, content):
    if not C.match(name):
        return None
    for array in ARRAY.finditer(content):
        number = re.search(rb"[+-]?0x[0-9a-f]{2,}\b(?!\.)|-?0x1\.[0-9a-f]+p[+-]\d+f?", array[1])
        if number is None:
            continue
        is_real = b"p" in number[0]
        sign = b"+" if number[0][:1] in b"+-" and not is_real else b""
        digits = len(number[0].lstrip(b"+-")) - 2
        new = b"0x1.8p+1" if is_real else b"0x%0*x" % (digits, (int(number[0], 16) + 1) & 0x3F)
        begin = array.start(1)
        return replaced(content, begin + number.start(), begin + number.end(), sign + new), "constant "
    return None


def in_kernel(pattern, new):
    def edit(name, content):
        if not C.match(name):
            return None
        for kernel in KERNEL.finditer(content):
            match = re.search(pattern, kernel[0])
            if match is not None:
                begin = kernel.start() + match.start()
                edited = replaced(content, begin, begin + len(match[0]), new(match))
                return edited, kernel[1].decode().split("_fused_")[-1]
        return None

    return edit


def plus_one(match):
    return match[0].replace(match[1], b"%d" % (int(match[1]) + 1))


one_immediate = in_kernel(rb"[+*] (?:\(int32_t\))?(\d+)\b", plus_one)
one_extent = in_kernel(rb"< (\d+); \+\+", plus_one)
one_offset = in_kernel(rb"\[\((\w+)", lambda match: b"[(1 + " + match[1])


def of_member(pattern, edit):
    """An edit of members whose names fit the pattern."""
    return lambda name, content: edit(content) if re.search(pattern, name) else None


def of_number(pattern):
    """Adds one to the first number that fits."""

    def edit(content):
        match = re.search(pattern, content)
        if match is None:
            return None
        at = match.lastindex
        return replaced(content, *match.span(at), b"%d" % (int(match[at]) + 1)), ""

    return edit


def a_byte(content):
    if not content:
        return None
    middle = len(content) // 2
    return replaced(content, middle, middle + 1, bytes([content[middle] ^ 1])), ""


def a_line(content):
    return content + b"#define EDITED 1\n", ""


EDITS = {
    "a constant": one_constant,
    "an immediate": one_immediate,
    "an extent": one_extent,
    "an offset": one_offset,
    "a line of a header": of_member(r"\.h$", a_line),
    "a line of C": of_member(r"\.(c|cc)$", a_line),
    "an attribute of TIR": of_member(r"^src/tir-.*\.txt$", of_number(rb"\w+_size\D*?(\d+)|alignment\W+(\d+)|align=(\d+)|\(\((\d+)")),
    "an extent of TIR": of_member(r"^src/tir-.*\.txt$", of_number(rb"range\((\d+)\)|, 0, (\d+)\)")),
    "a number of save_json": of_member(r"\.tvm\.json$", of_number(rb'"value": "(\d+)"')),
    "a reserved byte of parameters": of_member(r"\.params$", lambda content: (content[:9] + bytes([content[9] ^ 1]) + content[10:], "")),
    "a byte of parameters": of_member(r"\.params$", lambda content: (content[:-1] + bytes([content[-1] ^ 1]), "")),
    "an attribute of the graph": of_member(r"\.graph$|/graph\.json$", of_number(rb'"flatten_data": "(\d+)')),
    "a number of metadata.json": of_member(r"^metadata\.json$", of_number(rb'_bytes": (\d+)')),
    "Relay": of_member(r"\.relay$|relay\.txt$", a_byte),
}


class Edits(program_case.Directory):
    def notices(self, path, edited, names):
        result = support.run("diff", path, "-", input=support.make_tar(edited))
        text = result.stdout.decode()
        where = f"{path}: {names}: {text[:500]}{result.stderr.decode()[:500]}"
        if result.returncode == 65:
            return False  # mlf rejects the edited archive, which is no silence
        self.assertEqual(result.returncode, 1, where)
        for name in names:
            self.assertIn(name, text, where)
        self.assertNotIn("only moved", text, where)
        return True

    def test_are_noticed_under_the_name_of_their_place(self):
        counts, possible = dict.fromkeys(EDITS, 0), dict.fromkeys(EDITS, 0)
        for path in support.archives():
            members = support.members_of(path)
            twin = path.with_name("save-1.json")
            if twin.exists() and "src/tir-1.txt" in members:
                members["src/tir-1.tvm.json"] = twin.read_bytes()
                path = self.tar(members, "with-twin.tar")
            for kind, edit in EDITS.items():
                for name, content in members.items():
                    done = edit(name, content)
                    if done is None or done[0] == content:
                        continue
                    possible[kind] += 1
                    # Of each kind every third one.
                    if support.EVERY_ARCHIVE or possible[kind] % 3 == 1:
                        counts[kind] += self.notices(path, {**members, name: done[0]}, [name, done[1]])
                    break  # one edit of a kind in each archive
        print(", ".join(f"{count} of {kind}" for kind, count in counts.items()))
        for kind, count in counts.items():
            self.assertGreater(count, 0, kind)

    def test_of_members_that_mlf_does_not_read_are_noticed(self):
        for path in support.bundled_archives():
            members = support.members_of(path)
            for name in ("Makefile", "board/link.ld", "lib/libother.a", "codegen/host/lib/lib9.o", "notes.bin"):
                more = {**members, name: b"before"}
                self.assertTrue(self.notices(path, more, [f"{name}: added"]))
                base = self.tar(more, "base.tar")
                self.notices(base, members, [f"{name}: removed"])
                self.notices(base, {**more, name: b"behind"}, [f"{name}: changed"])

    def test_of_an_output_of_process_are_noticed(self):
        path = self.directory / "processed.tar"
        support.run_ok("process", support.bundled_archives()[1], "-o", path)
        members = support.members_of(path)
        name = "src/default.graph.json"
        edited = {**members, name: members[name].replace(b'"node_row_ptr"', b'"node_row"')}
        self.notices(path, edited, [name])

    def test_of_a_constant_have_its_values_in_the_document(self):
        path = support.ARCHIVES / "tvm-0.18-qnn_conv-aot-c.tar"
        members = support.members_of(path)
        member = "codegen/host/src/default_lib1.c"
        found = re.search(rb"fused_constant\[(\d+)\].*?\{\s*([+-]0x[0-9a-f]+)", members[member], re.DOTALL)
        old = int(found[2], 16)
        edited = replaced(members[member], *found.span(2), b"+0x%04x" % 84 if old < 0 else b"-0x%04x" % 84)
        result = support.run("diff", path, "-", "--format", "json", input=support.make_tar({**members, member: edited}))
        document = json.loads(result.stdout)
        schemas.check(schemas.validator("diff"), document, "one constant")
        (constant,) = document["constants"]
        self.assertEqual(constant["name"], "fused_constant")
        self.assertIn("nn_conv2d", constant["kernel"])
        self.assertEqual((constant["elements"], constant["differing"]), (int(found[1]), 1))
        self.assertEqual(constant["largest"], abs(old) + 84)
        self.assertEqual([one["name"] for one in document["members"]], [member])
        self.assertEqual((constant["bytes"], constant["reordered"]), (constant["bytes_before"], False))

    def test_of_a_constant_are_its_order_or_size(self):
        path = support.ARCHIVES / "tvm-0.18-qnn_conv-aot-c.tar"
        members = support.members_of(path)
        member = "codegen/host/src/default_lib1.c"
        found = re.search(rb"fused_constant\[(\d+)\].*?\{\s*(.*?)\n?\};", members[member], re.DOTALL)
        values = found[2].split(b",")
        more = replaced(members[member], *found.span(2), found[2].rstrip().rstrip(b",") + b", +0x0001")
        for text, size, words in (
            (replaced(members[member], *found.span(2), b",".join(values[::-1])), found[1], b"the same 288 elements (576 bytes) in another order"),
            (more, b"289", b"578 bytes, was 576"),
        ):
            text = replaced(text, *found.span(1), size)
            edited = support.make_tar({**members, member: text})
            lines = support.run("diff", path, "-", input=edited).stdout
            self.assertRegex(lines, rb"(?m)^constant fused_constant of .*: " + re.escape(words))
            document = json.loads(support.run("diff", "--json", path, "-", input=edited).stdout)
            schemas.check(schemas.validator("diff"), document, "one constant")

    def test_of_a_linked_parameter_have_its_name(self):
        path = support.SOURCE / "tests/data/cases/linked-params.tar.gz"
        members = support.members_of(path)
        member = "codegen/host/src/lib1.c"
        found = re.search(rb"__tvm_param__p0\[64\] = \{\s*([+-]0x\w+)", members[member])
        edited = {**members, member: replaced(members[member], *found.span(1), b"+0x1234")}
        lines = support.run("diff", path, "-", input=support.make_tar(edited)).stdout
        self.assertRegex(lines, rb"(?m)^constant p0 of .*: 1 of 64 elements \(128 bytes\) differs")

    def test_of_a_constant_are_found_where_constants_have_other_numbers(self):
        path = support.BUNDLED_CORPUS / "tvm-0.16/blocks-aot-c-usmp/module.tar"
        members = support.without_tir(support.members_of(path))
        numbered = rb"\b(fused_nn_conv2d_add_constant_)(\d+)"
        renamed = {name: re.sub(numbered, lambda match: b"%s%d" % (match[1], int(match[2]) + 1), data)
                   for name, data in members.items()}
        (member,) = [name for name, data in members.items() if name.endswith(".c") and b"_constant_9_let[" in data]
        first = re.search(rb"fused_nn_conv2d_add_constant_10_let = \{\s*([+-]0x\w+)", renamed[member])
        edited = {**renamed, member: replaced(renamed[member], *first.span(1), b"+0x00000001")}
        before = self.tar(members, "before.tar")
        for after, names in ((renamed, []), (edited, ["fused_nn_conv2d_add_constant_10_let"])):
            text = support.run("diff", before, "-", "--json", input=support.make_tar(after)).stdout
            constants = json.loads(text)["constants"]
            self.assertEqual([one["name"] for one in constants], names)
            self.assertTrue(all((one["bytes"], one["differing"]) == (16, 1) for one in constants), constants)

    def test_are_on_the_page_and_in_markdown(self):
        path = support.ARCHIVES / "tvm-0.18-add-aot-c.tar"
        members = support.members_of(path)
        data = support.make_tar({**members, "Makefile": b"all:\n"})
        page = support.run_to(1, "diff", path, "-", "--html", "-", input=data)
        self.assertIn(b"Makefile", page.stdout)
        self.assertNotIn(b"No differences", page.stdout)
        markdown = support.run("diff", path, "-", "--format", "markdown", input=data).stdout
        self.assertRegex(markdown, rb"\| member Makefile +\| added +\|")


class OtherForms(unittest.TestCase):
    def test_of_an_archive_are_the_same(self):
        for number, path in enumerate(support.archives()):
            with support.temporary_directory() as directory:
                members = support.members_of(path)
                unpacked = directory / "unpacked"
                for member, content in members.items():
                    (unpacked / member).parent.mkdir(parents=True, exist_ok=True)
                    (unpacked / member).write_bytes(content)
                packed = directory / "module.tar.gz"
                packed.write_bytes(gzip.compress(path.read_bytes()))
                repacked = directory / "repacked.tar"
                repacked.write_bytes(support.make_tar(dict(reversed(members.items()))))
                processed = directory / "processed.tar"
                forms = [unpacked, packed, repacked]
                if support.run("process", "-q", path, "-o", processed).returncode == 0:
                    forms.append(processed)
                pairs = [pair for form in forms for pair in ((path, form), (form, path))]
                # Of each archive every third one, another one for the next archive.
                for builds in pairs if support.EVERY_ARCHIVE else pairs[number % 3 :: 3]:
                    result = support.run("diff", *builds)
                    said = [line for line in result.stdout.splitlines() if b" contradicts itself, " not in line]
                    self.assertEqual((result.returncode, said), (0, []), builds)


if __name__ == "__main__":
    unittest.main()
