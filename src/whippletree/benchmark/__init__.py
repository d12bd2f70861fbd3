"""Speed of compiled kernels beside that of other libraries, measured in one run."""
