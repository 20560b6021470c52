"""The constants of AOT's main, from the tir-1.json that mlf wrote into the archive."""

import base64
import json

import numpy as np

import support


def read(archive):
    """One array for each constant that main allocates, in the order of main."""
    document = json.loads(support.members_of(archive)["src/tir-1.json"])
    constants = {constant["id"]: constant for constant in document["constants"]}
    (main,) = (f for f in document["functions"] if f["role"] == "main")
    used = [node["data"] for node in main["body"] if node["node"] == "AllocateConst"]
    return [_array(constants[number]) for number in used]


def _array(constant):
    content = base64.b64decode(constant["data"])
    return np.frombuffer(content, constant["dtype"]).reshape(constant["shape"])
