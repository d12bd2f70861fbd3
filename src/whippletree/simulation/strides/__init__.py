"""Many steps of one trajectory at a time, in machine code, as long as nothing has to be decided."""
