"""What every public function asks of its arguments, and what it does when it is recorded."""
