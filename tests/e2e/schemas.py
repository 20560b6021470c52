"""The published schemas, with a validator that is not ours."""

import json

import support

try:
    import jsonschema_rs
except ImportError:
    support.skip("the Python package jsonschema-rs is not installed")


def validator(name):
    schema = json.loads((support.SOURCE / "schemas" / f"{name}.schema.json").read_text())
    return jsonschema_rs.validator_for(schema)


def check(its_validator, document, what):
    """`document` as a parsed value; the first few violations end the test."""
    errors = []
    for error in its_validator.iter_errors(document):
        errors.append(f"{what}: {list(error.instance_path)}: {error.message[:300]}")
        if len(errors) == 5:
            break
    assert not errors, "\n".join(errors)
