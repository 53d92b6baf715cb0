# The index no longer maps its file itself.

s/\[dependencies\.memmap2\]\nversion = .*?\n\n// or die;
