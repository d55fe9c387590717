"""The MLPerf Tiny reference networks (github.com/mlcommons/tiny, Apache-2.0) and recorded samples for them."""

COMMIT = "1afd2c9820f795965a6134facd0b4dfae41ef23f"

ADDRESS = "https://raw.githubusercontent.com/mlcommons/tiny/{commit}/benchmark/training/{task}/trained_models/{file}"

# file -> (task folder, sha256)
MODELS = {
    "ad01_fp32.tflite": (
        "anomaly_detection",
        "c66636f4d7f8af8b10518e7be750a22c9d8d46ec97326b40b0d94c097e0aad9b",
    ),
    "ad01_int8.tflite": (
        "anomaly_detection",
        "87cf24194ef93d1d9b11a591d805526b98008e351655d29883c825c9c106ba24",
    ),
    "kws_ref_model.tflite": (
        "keyword_spotting",
        "aeea436800704fce17b17292e4412630ad856e9d777c044c64ef748a880bd0ae",
    ),
    "kws_ref_model_float32.tflite": (
        "keyword_spotting",
        "e5004c6f1012246e33fa068d8488325538e0444073cd361f5a7edb40c73f12d2",
    ),
    "pretrainedResnet.tflite": (
        "image_classification",
        "b5c0046d6e0328b4956afd6baa29555a29b1f1c65bdd45aaed75b7cd484d9f79",
    ),
    "pretrainedResnet_quant.tflite": (
        "image_classification",
        "3c002613d1b2475eb51dd78dfb85a546c8ae658dee71cf6ade43b022fe205415",
    ),
    "str_ww_ref_model.tflite": (
        "streaming_wakeword",
        "3af8550895ba7d5c584277102b5075c52dcfa63ba9d2b2240f37c4e6abd5dd2b",
    ),
    "vww_96_float.tflite": (
        "visual_wake_words",
        "115bbc094d2119561320a21f01b6500a18bea8cc8589282ab007097bec8af38c",
    ),
    "vww_96_int8.tflite": (
        "visual_wake_words",
        "597a384c8c2c8a1276f04702f25013b7838f2f814f1ca7c174d295b73e3d6b7b",
    ),
}

# Samples and the outputs of TFLite 2.14's reference kernels for them; looked for in ../shared/inputs beside the checkout.
INPUTS = {
    "ad.npz": "0440644c0fcc3faa678d1ce616bde9af50d31d3b5b3466aa95f0cb89af07cb4d",
    "ic.npz": "c7dfe9bd5329ce68248d3879c047e0080671ea90a783d3c3b89abdec91f496dd",
    "kws.npz": "68e23784ea5210fa6bc11f91ab89b98398d6358cbf17f80d50c632c0253fdeb8",
    "sww.npz": "177931df690b946b5a4aaeacd75510d36fc1dd144b2a9a1155382f5a636efa92",
    "vww.npz": "4a5c524c66220ec7f7842b23ccca086be1475a549651e83f5473a3a6d450a74a",
}
