"""SDF, the descriptions of Gazebo: read."""
