package parse

func isDigit(c byte) bool { return c-'0' < 10 }

func isLower(c byte) bool { return c-'a' < 26 }

func isAlpha(c byte) bool { return c|0x20-'a' < 26 }

// isKeyChar reports whether c is lcalpha, DIGIT, "_", "-", "." or "*" (RFC 9651 §3.1.2).
func isKeyChar(c byte) bool {
	return isLower(c) || isDigit(c) || c == '_' || c == '-' || c == '.' || c == '*'
}

// isTokenChar reports whether c is tchar, ":" or "/" (RFC 9651 §3.3.4, RFC 9110 §5.6.2).
func isTokenChar(c byte) bool {
	if isAlpha(c) || isDigit(c) {
		return true
	}
	switch c {
	case '!', '#', '$', '%', '&', '\'', '*', '+', '-', '.', '^', '_', '`', '|', '~', ':', '/':
		return true
	}
	return false
}

// isPrintable reports whether c is SP or VCHAR: the characters that a String or Display String may hold
// unescaped (RFC 9651 §3.3.3).
func isPrintable(c byte) bool { return c-' ' < 0x7f-' ' }

// isBase64 reports whether c is a symbol of base64 other than padding (RFC 4648 §4).
func isBase64(c byte) bool { return isAlpha(c) || isDigit(c) || c == '+' || c == '/' }

// hexDigit returns the value of a lower-case hexadecimal digit.
func hexDigit(c byte) (byte, bool) {
	switch {
	case isDigit(c):
		return c - '0', true
	case c-'a' < 6:
		return c - 'a' + 10, true
	}
	return 0, false
}

func lower(c byte) byte {
	if c-'A' < 26 {
		return c | 0x20
	}
	return c
}
