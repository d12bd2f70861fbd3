"""MJCF, the model files of MuJoCo: read through MuJoCo itself, and written."""
