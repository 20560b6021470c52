"""The published schemas, with a validator that is not ours.

jsonschema-rs from PyPI checks the documents of the corpus in seconds. Debian's python3-jsonschema
would take hours for those; it does for the bundled archives, on machines that have nothing else.
"""

import json
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


def validator(name):
    schema = json.loads((support.SOURCE / "schemas" / f"{name}.schema.json").read_text())
    if jsonschema_rs:
        return jsonschema_rs.validator_for(schema)
    return jsonschema.Draft202012Validator(schema)


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
