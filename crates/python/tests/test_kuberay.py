"""The manifest for KubeRay, checked against a schema. No cluster is started."""

import copy
import json
import shlex

import pytest
from conftest import ROOT, need

FOLDER = ROOT / "examples/cluster"


@pytest.fixture(scope="module")
def validator():
    need("jsonschema", "yaml")
    import jsonschema

    schema = json.loads((FOLDER / "kuberay.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.fixture
def resources(validator):
    import yaml

    return {one["kind"]: one for one in yaml.safe_load_all((FOLDER / "kuberay.yaml").read_text())}


def test_the_manifest_has_only_fields_that_the_resources_have(validator, resources):
    assert set(resources) == {"PersistentVolumeClaim", "RayJob"}
    for resource in resources.values():
        validator.validate(resource)
    # A cluster without a job has the same fields.
    cluster = resources["RayJob"]["spec"]["rayClusterSpec"]
    name = {"name": "players"}
    validator.validate({"apiVersion": "ray.io/v1", "kind": "RayCluster", "metadata": name, "spec": cluster})


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["spec", "entryPoint"], "x"),
        (["spec", "backoffLimit"], "5"),
        (["spec", "submissionMode"], "Job"),
        (["spec", "rayClusterSpec", "workerGroupSpec"], []),
        (["spec", "rayClusterSpec", "headGroupSpec", "rayStartParams", "num-cpus"], 0),
        (["spec", "rayClusterSpec", "workerGroupSpecs", 0, "maxReplicas"], -1),
        (["apiVersion"], "ray.io/v1alpha1"),
    ],
)
def test_mistakes_are_found(validator, resources, path, value):
    wrong = copy.deepcopy(resources["RayJob"])
    *parents, last = path
    place = wrong
    for key in parents:
        place = place[key]
    place[last] = value
    assert not validator.is_valid(wrong)


def test_the_parts_fit_together(resources):
    spec = resources["RayJob"]["spec"]
    cluster = spec["rayClusterSpec"]
    head = cluster["headGroupSpec"]["template"]["spec"]
    (arena,) = head["containers"][0]["volumeMounts"]
    (volume,) = head["volumes"]
    claim = resources["PersistentVolumeClaim"]["metadata"]["name"]
    assert volume == {"name": arena["name"], "persistentVolumeClaim": {"claimName": claim}}
    (workers,) = cluster["workerGroupSpecs"]
    resources_of_worker = workers["template"]["spec"]["containers"][0]["resources"]
    assert resources_of_worker["requests"] == resources_of_worker["limits"]
    python, module, name, *words = shlex.split(spec["entrypoint"])
    assert (python, module, name) == ("python", "-m", "pacman2.cluster")
    assert words[:2] == ["arena", "run"]
    assert words[words.index("--arena") + 1].startswith(arena["mountPath"] + "/")
