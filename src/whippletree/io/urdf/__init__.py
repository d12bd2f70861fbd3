"""URDF, the robot descriptions of ROS: read, also behind macros of xacro, and written."""
