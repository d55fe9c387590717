# pyright: basic, reportMissingImports=false, reportMissingModuleSource=false, reportIndexIssue=false
"""Train the digits network and export it as digits_float.tflite and digits_int8.tflite.

A development-time script: Bazel does not run it, and Tinsmith does not need what it imports
(`pip install tensorflow-cpu==2.18.* scikit-learn`, Python 3.11). The data are scikit-learn's scanned
digits, 1797 grey images of 8x8 pixels; 360 of them (20 % of each class) are held out and go to
digits_test.npz, the first of each digit of the others to digits_calibration.npz. `reference.py` then adds the expected
outputs to the former.
"""

import pathlib
from collections.abc import Iterator

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

SEED = 0
TEST_IMAGES = 360
EPOCHS = 120
FOLDER = pathlib.Path(__file__).parent


def network() -> tf.keras.Model:
    """8x8x1 -> ten probabilities: a convolution, two depthwise separable blocks, mean, dense.

    The converter names a merged layer after its ReLU, so that is the one with the name.
    """
    layers = tf.keras.layers
    x = inputs = layers.Input((8, 8, 1), batch_size=None, name="image")
    x = layers.Conv2D(16, 3, padding="same", use_bias=False)(x)
    x = layers.ReLU(name="stem")(layers.BatchNormalization()(x))
    x = _separable(x, 32, "block1")
    x = layers.MaxPooling2D(2, name="pool")(x)
    x = _separable(x, 96, "block2")
    x = layers.GlobalAveragePooling2D(name="mean")(x)
    x = layers.Dropout(0.2)(x)
    x = layers.Dense(10, name="classes")(x)
    return tf.keras.Model(inputs, layers.Softmax(name="probabilities")(x), name="digits")


def _separable(x: tf.Tensor, channels: int, name: str) -> tf.Tensor:
    layers = tf.keras.layers
    x = layers.DepthwiseConv2D(3, padding="same", use_bias=False)(x)
    x = layers.ReLU(name=f"{name}_depthwise")(layers.BatchNormalization()(x))
    x = layers.Conv2D(channels, 1, use_bias=False)(x)
    return layers.ReLU(name=f"{name}_pointwise")(layers.BatchNormalization()(x))


def shifted(images: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Each image moved by up to one pixel in each direction, zeros moving in."""
    padded = np.pad(images, ((0, 0), (1, 1), (1, 1), (0, 0)))
    moves = random.integers(0, 3, (len(images), 2))
    return np.stack([p[r : r + 8, c : c + 8] for p, (r, c) in zip(padded, moves, strict=True)])


def train(x: np.ndarray, labels: np.ndarray) -> tf.keras.Model:
    """The trained network; the same one on every run with the same versions."""
    tf.keras.utils.set_random_seed(SEED)
    tf.config.experimental.enable_op_determinism()
    model = network()
    steps = EPOCHS * -(-len(x) // 32)
    model.compile(
        tf.keras.optimizers.Adam(tf.keras.optimizers.schedules.CosineDecay(3e-3, steps)),
        tf.keras.losses.SparseCategoricalCrossentropy(),
        metrics=["accuracy"],
    )
    random = np.random.default_rng(SEED)
    for _ in range(EPOCHS):
        model.fit(shifted(x, random), labels, batch_size=32, epochs=1, verbose=0)
    return model


def export(model: tf.keras.Model, x: np.ndarray, *, int8: bool) -> bytes:
    """The model as a .tflite file with a batch of one; int8 is calibrated on the training images."""
    function = tf.function(lambda image: model.call(image, training=False)).get_concrete_function(
        tf.TensorSpec((1, 8, 8, 1), tf.float32, name="image")
    )
    frozen = convert_variables_to_constants_v2(function)
    converter = tf.lite.TFLiteConverter.from_concrete_functions([frozen])
    if int8:
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
        converter.representative_dataset = lambda: _samples(x)
        converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
        # One scale for a dense layer's weights: what most kernel libraries expect.
        converter._experimental_disable_per_channel_quantization_for_dense_layers = True
        converter.inference_input_type = converter.inference_output_type = tf.int8
    return converter.convert()


def _samples(x: np.ndarray) -> Iterator[list[np.ndarray]]:
    for image in x:
        yield [image[None]]


def quantized(model: bytes, x: np.ndarray) -> np.ndarray:
    """The images as int8, with the scale and zero point of the model's input."""
    scale, zero_point = tf.lite.Interpreter(model_content=model).get_input_details()[0][
        "quantization"
    ]
    return np.clip(np.round(x / scale) + zero_point, -128, 127).astype(np.int8)


def main() -> None:
    """Write the two models and the held-out images beside this file."""
    digits = load_digits()
    x = (digits.images[..., None] / 16).astype(np.float32)
    x_train, x_test, y_train, y_test = train_test_split(
        x, digits.target, test_size=TEST_IMAGES, random_state=SEED, stratify=digits.target
    )
    model = train(x_train, y_train)
    accuracy = model.evaluate(x_test, y_test, verbose=0)[1]
    print(f"{model.count_params()} parameters, held-out accuracy {accuracy:.4f}")
    int8 = export(model, x_train, int8=True)
    (FOLDER / "digits_float.tflite").write_bytes(export(model, x_train, int8=False))
    (FOLDER / "digits_int8.tflite").write_bytes(int8)
    np.savez_compressed(
        FOLDER / "digits_test.npz", x=quantized(int8, x_test), x_float=x_test, label=y_test
    )
    first = [int(np.flatnonzero(y_train == digit)[0]) for digit in range(10)]
    np.savez_compressed(
        FOLDER / "digits_calibration.npz", x_float=x_train[first], label=y_train[first]
    )


if __name__ == "__main__":
    main()
