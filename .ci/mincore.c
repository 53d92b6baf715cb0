/* qemu's user mode can feign larger pages than the machine has, but its `mincore` does not: it
   answers for each page of the machine, and so writes behind the end of the array. `.ci/cross`
   preloads this one, which asks for one feigned page at a time. It is resident if a part of it
   is. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <unistd.h>

int mincore(void *start, size_t bytes, unsigned char *pages) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char parts[65536 / 4096];
    for (size_t offset = 0; offset < bytes; offset += page) {
        if (syscall(SYS_mincore, (char *)start + offset, page, parts) != 0) {
            return -1;
        }
        unsigned char resident = 0;
        for (size_t part = 0; part < sizeof parts; part++) {
            resident |= parts[part] & 1;
        }
        pages[offset / page] = resident;
    }
    return 0;
}
