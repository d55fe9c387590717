"""FusePadding."""

import pytest
from tinsmith_fusion import FusePadding
from tinsmith_ir.parser import parse_graph
from tinsmith_ir.testing import assert_rewrites

CONV = "const %w: i8[1,2,2,2]<0.5, 0> = [1, -2, 3, 100, 5, 6, 7, 8]"
CONV_F32 = "const %w: f32[1,2,2,2] = [1.0, -2.0, 3.0, 100.0, 5.0, 6.0, 7.0, 8.0]"
DEPTHWISE = "const %w: i8[1,2,1,2]<0.5, 0> = [1, -2, 3, 100]"


def graph(*lines: str) -> str:
    body = "\n".join(lines)
    return f'graph 2 "g" {{\n{body}\noutput %y\n}}'


def test_convolution_takes_the_padding_in_and_keeps_its_own() -> None:
    assert_rewrites(
        FusePadding(),
        graph(
            "input %x: i8[1,3,3,2]<0.25, 4>",
            CONV,
            "%a: i8[1,4,6,2]<0.25, 4> = pad(%x) {padding=[0,0,1,0,2,1,0,0]}",
            "%y: i8[1,4,6,1]<0.5, -3> = conv2d(%a, %w) {padding=[0,1,1,0]}",
        ),
        graph(
            "input %x: i8[1,3,3,2]<0.25, 4>",
            CONV,
            "%y: i8[1,4,6,1]<0.5, -3> = conv2d(%x, %w) {padding=[1,1,3,1]}",
        ),
    )


def test_depthwise_convolution_takes_the_padding_in() -> None:
    assert_rewrites(
        FusePadding(),
        graph(
            "input %x: i8[1,3,3,2]<0.25, 4>",
            DEPTHWISE,
            "%a: i8[1,4,3,2]<0.25, 4> = pad(%x) {padding=[0,0,1,0,0,0,0,0], value=4}",
            "%y: i8[1,2,2,2]<0.5, -3> = depthwise_conv2d(%a, %w) {stride=[2,2]}",
        ),
        graph(
            "input %x: i8[1,3,3,2]<0.25, 4>",
            DEPTHWISE,
            "%y: i8[1,2,2,2]<0.5, -3> = depthwise_conv2d(%x, %w) {stride=[2,2], padding=[1,0,0,0]}",
        ),
    )


def test_float_convolution_takes_the_padding_in() -> None:
    assert_rewrites(
        FusePadding(),
        graph(
            "input %x: f32[1,3,3,2]",
            CONV_F32,
            "%a: f32[1,5,5,2] = pad(%x) {padding=[0,0,1,1,1,1,0,0], value=0.0}",
            "%y: f32[1,4,4,1] = conv2d(%a, %w)",
        ),
        graph(
            "input %x: f32[1,3,3,2]",
            CONV_F32,
            "%y: f32[1,4,4,1] = conv2d(%x, %w) {padding=[1,1,1,1]}",
        ),
    )


def test_max_pool_takes_padding_with_the_least_integer_in() -> None:
    assert_rewrites(
        FusePadding(),
        graph(
            "input %x: i8[1,3,3,2]<0.25, -128>",
            "%a: i8[1,4,4,2]<0.25, -128> = pad(%x) {padding=[0,0,0,1,1,0,0,0]}",
            "%y: i8[1,3,3,2]<0.25, -128> = max_pool2d(%a) {window=[2,2]}",
        ),
        graph(
            "input %x: i8[1,3,3,2]<0.25, -128>",
            "%y: i8[1,3,3,2]<0.25, -128> = max_pool2d(%x) {window=[2,2], padding=[0,1,1,0]}",
        ),
    )


STAYS = {
    "value is not the zero point": (
        "input %x: i8[1,3,3,2]<0.25, 4>",
        CONV,
        "%a: i8[1,4,4,2]<0.25, 4> = pad(%x) {padding=[0,0,1,0,1,0,0,0], value=3}",
        "%y: i8[1,3,3,1]<0.5, -3> = conv2d(%a, %w)",
    ),
    "value is not zero": (
        "input %x: f32[1,3,3,2]",
        CONV_F32,
        "%a: f32[1,4,4,2] = pad(%x) {padding=[0,0,1,0,1,0,0,0], value=0.5}",
        "%y: f32[1,3,3,1] = conv2d(%a, %w)",
    ),
    "pads channels": (
        "input %x: i8[1,3,3,1]<0.25, 4>",
        CONV,
        "%a: i8[1,3,3,2]<0.25, 4> = pad(%x) {padding=[0,0,0,0,0,0,0,1]}",
        "%y: i8[1,2,2,1]<0.5, -3> = conv2d(%a, %w)",
    ),
    "pads the batch": (
        "input %x: i8[1,3,3,2]<0.25, 4>",
        CONV,
        "%a: i8[2,3,3,2]<0.25, 4> = pad(%x) {padding=[0,1,0,0,0,0,0,0]}",
        "%y: i8[2,2,2,1]<0.5, -3> = conv2d(%a, %w)",
    ),
    "others read the padded tensor": (
        "input %x: i8[1,3,3,2]<0.25, 4>",
        CONV,
        "%a: i8[1,4,4,2]<0.25, 4> = pad(%x) {padding=[0,0,1,0,1,0,0,0]}",
        "%y: i8[1,3,3,1]<0.5, -3> = conv2d(%a, %w)",
        "output %a",
    ),
    "the weights may be infinite": (
        "input %x: f32[1,3,3,2]",
        "input %w: f32[1,2,2,2]",
        "%a: f32[1,4,4,2] = pad(%x) {padding=[0,0,1,0,1,0,0,0]}",
        "%y: f32[1,3,3,1] = conv2d(%a, %w)",
    ),
    "max pool: the value may win": (
        "input %x: i8[1,3,3,2]<0.25, -127>",
        "%a: i8[1,4,4,2]<0.25, -127> = pad(%x) {padding=[0,0,1,0,1,0,0,0]}",
        "%y: i8[1,3,3,2]<0.25, -127> = max_pool2d(%a) {window=[2,2]}",
    ),
    "max pool: float has no value that never wins": (
        "input %x: f32[1,3,3,2]",
        "%a: f32[1,4,4,2] = pad(%x) {padding=[0,0,1,0,1,0,0,0]}",
        "%y: f32[1,3,3,2] = max_pool2d(%a) {window=[2,2]}",
    ),
    "max pool: a window would see padding only": (
        "input %x: i8[1,3,3,2]<0.25, -128>",
        "%a: i8[1,5,3,2]<0.25, -128> = pad(%x) {padding=[0,0,2,0,0,0,0,0]}",
        "%y: i8[1,4,2,2]<0.25, -128> = max_pool2d(%a) {window=[2,2]}",
    ),
    "average pool counts what is padded": (
        "input %x: i8[1,3,3,2]<0.25, -128>",
        "%a: i8[1,4,4,2]<0.25, -128> = pad(%x) {padding=[0,0,1,0,1,0,0,0]}",
        "%y: i8[1,3,3,2]<0.25, -128> = average_pool2d(%a) {window=[2,2]}",
    ),
}


@pytest.mark.parametrize("case", STAYS)
def test_it_stays(case: str) -> None:
    before = parse_graph(graph(*STAYS[case]))
    assert FusePadding().run(before) is before
