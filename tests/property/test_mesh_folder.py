"""Meshes of somebody else's robot: they read nothing outside their folder."""

import base64
import json
import struct
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import whippletree as wt
from whippletree.display.gltf import glb
from whippletree.io.mesh_folder import MeshFolder

CORNERS = np.array([(0.125, 0.25, 0.375), (1.5, 0, 0), (0, 1.75, 0)], dtype="<f4")
GREY = (90, 90, 90)
OUTSIDE = ["../secret.{suffix}", "{folder}/secret.{suffix}", "inner/../../secret.{suffix}", "link.{suffix}"]


@pytest.fixture
def robot(tmp_path: Path) -> Path:
    """The folder of a robot, beside which a secret lies: as numbers, as a picture, as a material."""
    picture = BytesIO()
    Image.new("RGB", (4, 4), (13, 200, 77)).save(picture, "PNG")
    secrets = {"bin": CORNERS.tobytes(), "png": picture.getvalue(), "mtl": b"newmtl skin\nKd 0.25 0.5 0.75\n"}
    inside = tmp_path / "robot"
    (inside / "inner").mkdir(parents=True)
    for suffix, content in secrets.items():
        (tmp_path / f"secret.{suffix}").write_bytes(content)
        (inside / "inner" / f"own.{suffix}").write_bytes(content)
        (inside / f"link.{suffix}").symlink_to(tmp_path / f"secret.{suffix}")
    return inside


def gltf(path: Path, buffer: str, image: str | None = None) -> str:
    """A triangle whose numbers are in one file and whose skin is in another."""
    material = {} if image is None else {"material": 0}
    content = {
        "asset": {"version": "2.0"},
        "buffers": [{"uri": buffer, "byteLength": 36}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, **material}]}],
        "nodes": [{"mesh": 0}],
        "scenes": [{"nodes": [0]}],
        "scene": 0,
    }
    if image is not None:
        content["images"] = [{"uri": image}]
        content["textures"] = [{"source": 0}]
        content["materials"] = [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}]
    path.write_text(json.dumps(content))
    return str(path)


def drawn(path: str) -> bytes | str:
    """What goes to the browser, or why nothing does."""
    try:
        return glb(path, GREY)
    except wt.FileError as error:
        return str(error)


@pytest.mark.parametrize("name", OUTSIDE)
def test_numbers_of_a_gltf_stay_inside(robot: Path, name: str) -> None:
    own = drawn(gltf(robot / "arm.gltf", "inner/own.bin"))
    assert isinstance(own, bytes)
    assert struct.pack("<f", 1.75) in own
    foreign = drawn(gltf(robot / "arm.gltf", name.format(folder=robot.parent, suffix="bin")))
    assert isinstance(foreign, str)
    assert "this mesh cannot be read" in foreign
    assert "is outside the mesh's folder, and is not read" in foreign


def skin(content: bytes | str) -> bool:
    """Whether the secret picture, or one of its colour, is in what goes to the browser."""
    assert isinstance(content, bytes)
    start = content.find(b"\x89PNG")
    if start < 0:
        return False
    return Image.open(BytesIO(content[start:])).convert("RGB").getpixel((1, 1)) == (13, 200, 77)


@pytest.mark.parametrize("name", OUTSIDE)
def test_pictures_of_a_gltf_stay_inside(robot: Path, name: str) -> None:
    numbers = "data:application/octet-stream;base64," + base64.b64encode(CORNERS.tobytes()).decode()
    foreign = drawn(gltf(robot / "arm.gltf", numbers, name.format(folder=robot.parent, suffix="png")))
    assert isinstance(foreign, str) or not skin(foreign)
    assert skin(drawn(gltf(robot / "arm.gltf", numbers, "inner/own.png")))


def obj(path: Path, materials: str) -> str:
    corners = "".join(f"v {x} {y} {z}\nvt {x} {y}\n" for x, y, z in CORNERS.tolist())
    path.write_text(f"mtllib {materials}\n{corners}usemtl skin\nf 1/1 2/2 3/3\n")
    return str(path)


def factor(content: bytes | str) -> list[float] | None:
    """The colour of the first material in what goes to the browser."""
    assert isinstance(content, bytes)
    tree = json.loads(content[20 : 20 + struct.unpack("<I", content[12:16])[0]])
    return tree["materials"][0]["pbrMetallicRoughness"].get("baseColorFactor")


@pytest.mark.parametrize("name", OUTSIDE)
def test_materials_of_an_obj_stay_inside(robot: Path, name: str) -> None:
    own = factor(drawn(obj(robot / "arm.obj", "inner/own.mtl")))
    assert own is not None
    assert own[:3] == pytest.approx([0.25, 0.5, 0.75], abs=0.005)
    foreign = factor(drawn(obj(robot / "arm.obj", name.format(folder=robot.parent, suffix="mtl"))))
    assert foreign is None or foreign[:3] != pytest.approx([0.25, 0.5, 0.75], abs=0.005)


@pytest.mark.parametrize("name", OUTSIDE)
def test_pictures_of_an_obj_stay_inside(robot: Path, name: str) -> None:
    for picture, seen in (("inner/own.png", True), (name.format(folder=robot.parent, suffix="png"), False)):
        (robot / "skin.mtl").write_text(f"newmtl skin\nmap_Kd {picture}\n")
        assert skin(drawn(obj(robot / "arm.obj", "skin.mtl"))) == seen


DAE = """<?xml version="1.0"?>
{doctype}<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="meter" meter="1"/><up_axis>Z_UP</up_axis></asset>
<library_images><image id="i"><init_from>{picture}</init_from></image></library_images>
<library_effects><effect id="e"><profile_COMMON>
<newparam sid="s"><surface type="2D"><init_from>i</init_from></surface></newparam>
<newparam sid="t"><sampler2D><source>s</source></sampler2D></newparam>
<technique sid="c"><phong><diffuse><texture texture="t" texcoord="UV"/></diffuse></phong></technique>
</profile_COMMON></effect></library_effects>
<library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="9">{numbers}</float_array><technique_common>
<accessor source="#pa" count="3" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<source id="u"><float_array id="ua" count="6">0 0 1 0 0 1</float_array><technique_common>
<accessor source="#ua" count="3" stride="2"><param name="S" type="float"/><param name="T" type="float"/>
</accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="1" material="M"><input semantic="VERTEX" source="#v" offset="0"/>
<input semantic="TEXCOORD" source="#u" offset="1" set="0"/><p>0 0 1 1 2 2</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="w"><node id="n"><instance_geometry url="#g"><bind_material>
<technique_common><instance_material symbol="M" target="#m"/></technique_common></bind_material>
</instance_geometry></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#w"/></scene></COLLADA>
"""


@pytest.mark.parametrize("name", OUTSIDE)
def test_pictures_of_a_collada_file_stay_inside(robot: Path, name: str) -> None:
    for picture, seen in (("inner/own.png", True), (name.format(folder=robot.parent, suffix="png"), False)):
        text = DAE.format(doctype="", picture=picture, numbers="0 0 0 1 0 0 0 1 0")
        (robot / "arm.dae").write_text(text)
        assert skin(drawn(str(robot / "arm.dae"))) == seen


def test_entities_of_a_collada_file_are_not_read(robot: Path) -> None:
    (robot.parent / "secret.txt").write_text("0 0 0 1.5 0 0 0 1.75 0")
    doctype = f'<!DOCTYPE COLLADA [<!ENTITY x SYSTEM "file://{robot.parent}/secret.txt">]>\n'
    (robot / "arm.dae").write_text(DAE.format(doctype=doctype, picture="inner/own.png", numbers="&x;"))
    found = drawn(str(robot / "arm.dae"))
    assert isinstance(found, str) or struct.pack("<f", 1.75) not in found


def test_a_mesh_writes_nothing_and_goes_into_folders_only(robot: Path) -> None:
    folder = MeshFolder(robot)
    assert "inner/own.mtl" in set(folder.keys())
    assert folder.namespaced("inner").get("own.bin") == CORNERS.tobytes()
    with pytest.raises(PermissionError, match=r"'\.\.' is outside the mesh's folder"):
        folder.namespaced("..")
    with pytest.raises(PermissionError, match="meshes are only read"):
        folder.write("own.bin", b"")
