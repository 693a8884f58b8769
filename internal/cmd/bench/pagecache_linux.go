package main

import (
	"errors"
	"os"
	"syscall"
	"unsafe"
)

// errCached is why a start with a cold page cache is not measured.
var errCached = errors.New("the system keeps the program's file in its page cache")

const fadviseDontNeed = 4 // POSIX_FADV_DONTNEED of Linux

// dropPages takes a file out of the page cache, so that the next start of the
// program has to read it from the disk, as a new environment does. It fails
// where some of the file stays.
func dropPages(path string) error {
	f, err := os.Open(path) //nolint:gosec // a program that was built for this run
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // only read
	if err := f.Sync(); err != nil { // pages not yet written are kept
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	size := int(info.Size())
	if _, _, errno := syscall.Syscall6(syscall.SYS_FADVISE64, f.Fd(), 0, 0, fadviseDontNeed, 0, 0); errno != 0 {
		return errno
	}
	mapped, err := syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return err
	}
	defer func() { _ = syscall.Munmap(mapped) }() // was mapped
	pages := make([]byte, (size+os.Getpagesize()-1)/os.Getpagesize())
	//nolint:gosec // mincore(2) takes pointers and has no other form in the standard library
	if _, _, errno := syscall.Syscall(syscall.SYS_MINCORE, uintptr(unsafe.Pointer(&mapped[0])), uintptr(size), uintptr(unsafe.Pointer(&pages[0]))); errno != 0 {
		return errno
	}
	for _, p := range pages {
		if p&1 != 0 {
			return errCached
		}
	}
	return nil
}
