/* Wine before 9 has no bcryptprimitives.dll, from which Rust's std takes the seeds of its hash
   maps, so no Rust program starts there. `.ci/cross` builds this one in its place. Wine only: it
   gives no more than what RtlGenRandom, which advapi32 exports by this name, gives. */
unsigned char __stdcall SystemFunction036(void *buffer, unsigned long bytes);
__declspec(dllexport) int __stdcall ProcessPrng(unsigned char *buffer, unsigned long long bytes);
int __stdcall ProcessPrng(unsigned char *buffer, unsigned long long bytes) {
    return SystemFunction036(buffer, (unsigned long)bytes);
}
