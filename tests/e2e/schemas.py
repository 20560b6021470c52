"""The published schemas, with a validator that is not ours.

jsonschema-rs from PyPI checks the documents of the corpus in seconds. Debian's python3-jsonschema
would take hours for those; it does for the bundled archives, on machines that have nothing else.
"""

import json
import subprocess
import sys

import support

try:
    import jsonschema_rs
except ImportError:
    jsonschema_rs = None
    try:
        import jsonschema
    except ImportError:
        support.skip("neither jsonschema-rs nor python3-jsonschema is installed")
    sys.setrecursionlimit(100_000)  # jsonschema needs several frames for a level of a document


def load(name):
    return json.loads((support.SOURCE / "schemas" / f"{name}.schema.json").read_text())


def validator(name):
    schema = load(name)
    if jsonschema_rs:
        return jsonschema_rs.validator_for(schema)
    definitions = schema.get("$defs", {})

    def one_of(checker, branches, instance, parent):
        """Looks at one branch, that of the instance's tag, where a discriminator names the tag.

        python3-jsonschema tries every branch down to the leaves, and many kinds have the shape of Add.
        """
        if "discriminator" not in parent:
            yield from rule(checker, branches, instance, parent)
            return
        tag = parent["discriminator"]["propertyName"]
        value = instance.get(tag) if isinstance(instance, dict) else None
        for branch in branches:
            its_definition = definitions[branch["$ref"].removeprefix("#/$defs/")]
            if its_definition["properties"][tag]["const"] == value:
                yield from checker.descend(instance, branch)
                return
        yield jsonschema.ValidationError(f"{instance!r:.100} has no known {tag!r}")

    rule = jsonschema.Draft202012Validator.VALIDATORS["oneOf"]
    return jsonschema.validators.extend(jsonschema.Draft202012Validator, {"oneOf": one_of})(schema)


def check(its_validator, document, what):
    """`document` as a parsed value; the first few violations end the test."""
    errors = []
    for error in its_validator.iter_errors(document):
        path = error.instance_path if jsonschema_rs else error.absolute_path
        errors.append(f"{what}: {list(path)}: {error.message[:300]}")
        if len(errors) == 5:
            break
    assert not errors, "\n".join(errors)


def archives():
    """Those whose documents can be checked here."""
    if jsonschema_rs:
        return support.archives()
    print("no jsonschema-rs: bundled archives only")
    return support.bundled_archives()


def check_archives(check_archive):
    """Checks each of them, with a directory; the exit code of the test."""
    failures = 0
    found = archives()
    for original in found:
        with support.temporary_directory() as directory:
            try:
                check_archive(original, directory)
            except (AssertionError, subprocess.CalledProcessError) as failure:
                print(f"{original}: {failure}")
                failures += 1
    print(f"{len(found) - failures} of {len(found)} archives passed")
    return 0 if found and not failures else 1
