# Lets the tests of a published package of Plonky3 build.

s/\[\[bench\]\]\n.*?\n\n//sg or die;
s/\[dev-dependencies\.criterion\]\n.*?\n\n//s or die;
$_ .= join "", map { "\n[dev-dependencies.$_]\nversion = \"=0.8.0\"\n" } qw(p3-baby-bear p3-goldilocks p3-keccak);
