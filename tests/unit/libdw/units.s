# SPDX-License-Identifier: GPL-2.0-or-later
# One function with one inlined call, and debug information by hand; the code is nothing but no-operations.
# CODES: added to the codes of abbreviations. LONG: bytes of the name of the compiler, which is in the first entry.
# BY_SIGNATURE: the call is of an entry in a type unit, in .debug_info (5) or .debug_types (4). BY_INDEX: it begins at
# an index with an offset (DW_FORM_LLVM_addrx_offset). ROWS: of a line program by hand, all of line 10. 0: not so.
# CALLS: more inlined calls, each of the same RANGES ranges. DEPTH: entries around BELOW others, without siblings.

	.irp name, CALLS, RANGES, DEPTH, BELOW
	.ifndef \name
	.set \name, 0
	.endif
	.endr

	.set SIGNATURE, 0x1122334455667788
	.macro LINE number
	.if ROWS == 0
	.loc 1 \number
	.endif
	.endm

	.if ROWS == 0
	.file 1 "units.c"
	.endif
	.text
	.globl outer
	.type outer, @function
outer:
	LINE 10
	nop
	nop
.Lcall:
	LINE 3
	nop
	nop
.Lcall_end:
	LINE 12
	nop
	nop
.Lend:
	.size outer, . - outer

	.section .debug_line,"",@progbits
.Lline:
	.if ROWS
	.4byte .Lline_end - .Lline_header
.Lline_header:
	.2byte 4
	.4byte .Lrows - .Lfields
.Lfields:
	.byte 1, 1, 1, -5, 14, 13
	.byte 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1
	.byte 0
	.asciz "units.c"
	.byte 0, 0, 0, 0
.Lrows:
	.byte 0, 9, 2
	.8byte outer
	.byte 3, 9
	.fill ROWS, 1, 1
	.byte 2
	.uleb128 .Lend - outer
	.byte 0, 1, 1
.Lline_end:
	.endif

	.section .debug_info,"",@progbits
.Linfo:
	.4byte .Linfo_end - .Linfo_header
.Linfo_header:
	.if BY_SIGNATURE == 4
	.2byte 4
	.4byte .Labbrev
	.byte 8
	.else
	.2byte 5
	.byte 1, 8
	.4byte .Labbrev
	.endif
	.uleb128 CODES + 1
	.fill LONG, 1, 'x'
	.asciz "hand"
	.asciz "units.c"
	.asciz "/src"
	.4byte .Lline
	.8byte outer, .Lend - outer
	.if BY_INDEX
	.4byte .Laddresses
	.endif
.Labstract:
	.uleb128 CODES + 2
	.asciz "inner"
	.uleb128 CODES + 3
	.asciz "outer"
	.8byte outer, .Lend - outer
	.uleb128 CODES + 4
	.if BY_SIGNATURE
	.8byte SIGNATURE
	.else
	.4byte .Labstract - .Linfo
	.endif
	.if BY_INDEX
	.uleb128 0
	.4byte .Lcall - outer
	.else
	.8byte .Lcall
	.endif
	.8byte .Lcall_end - .Lcall
	.byte 1, 11
	.rept CALLS
	.uleb128 CODES + 6
	.4byte .Lranges
	.endr
	.rept DEPTH
	.uleb128 CODES + 7
	.endr
	.rept BELOW
	.uleb128 CODES + 8
	.endr
	.fill DEPTH, 1, 0
	.byte 0, 0
.Linfo_end:

	.if BY_SIGNATURE
	.if BY_SIGNATURE == 4
	.section .debug_types,"",@progbits
	.endif
.Ltypes:
	.4byte .Ltypes_end - .Ltypes_header
.Ltypes_header:
	.if BY_SIGNATURE == 4
	.2byte 4
	.4byte .Labbrev
	.byte 8
	.else
	.2byte 5
	.byte 2, 8
	.4byte .Labbrev
	.endif
	.8byte SIGNATURE
	.4byte .Ltype - .Ltypes
	.uleb128 CODES + 5
	.2byte 0x21
.Ltype:
	.uleb128 CODES + 2
	.asciz "inner"
	.byte 0
.Ltypes_end:
	.endif

	.if BY_INDEX
	.section .debug_addr,"",@progbits
	.4byte .Laddresses_end - .Laddresses_header
.Laddresses_header:
	.2byte 5
	.byte 8, 0
.Laddresses:
	.8byte outer
.Laddresses_end:
	.endif

	.section .debug_rnglists,"",@progbits
	.4byte .Lranges_end - .Lranges_header
.Lranges_header:
	.2byte 5
	.byte 8, 0
	.4byte 0
.Lranges:
	.rept RANGES
	.byte 4, 1, 2
	.endr
	.byte 0
.Lranges_end:

	# Tag, children; attribute, form…
	.section .debug_abbrev,"",@progbits
.Labbrev:
	.uleb128 CODES + 1
	.byte 0x11, 1
	.byte 0x25, 0x08, 0x03, 0x08, 0x1b, 0x08, 0x10, 0x17, 0x11, 0x01, 0x12, 0x07
	.if BY_INDEX
	.byte 0x73, 0x17
	.endif
	.byte 0, 0
	.uleb128 CODES + 2
	.byte 0x2e, 0, 0x03, 0x08, 0, 0
	.uleb128 CODES + 3
	.byte 0x2e, 1, 0x03, 0x08, 0x11, 0x01, 0x12, 0x07, 0, 0
	.uleb128 CODES + 4
	.byte 0x1d, 0
	.if BY_SIGNATURE
	.byte 0x31, 0x20
	.else
	.byte 0x31, 0x13
	.endif
	.if BY_INDEX
	.byte 0x11
	.uleb128 0x2001
	.else
	.byte 0x11, 0x01
	.endif
	.byte 0x12, 0x07, 0x58, 0x0b, 0x59, 0x0b, 0, 0
	.uleb128 CODES + 5
	.byte 0x41, 1, 0x13, 0x05, 0, 0
	.uleb128 CODES + 6
	.byte 0x1d, 0, 0x55, 0x17, 0, 0
	.uleb128 CODES + 7
	.byte 0x0b, 1, 0, 0
	.uleb128 CODES + 8
	.byte 0x0b, 0, 0, 0
	.byte 0
