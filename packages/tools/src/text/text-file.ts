/** A file's bytes as text, and back to exactly the bytes it would have had: encoding, BOM, line ends and the missing final newline are kept. */

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'latin1'
export type LineEnd = 'lf' | 'crlf' | 'mixed' | 'none'

export type TextFile = { readonly text: string; readonly encoding: Encoding; readonly bom: boolean; readonly lineEnd: LineEnd }
export type Decoded = { readonly kind: 'text'; readonly file: TextFile } | { readonly kind: 'binary'; readonly what: string }

const SIGNATURES: readonly (readonly [bytes: readonly number[], what: string])[] = [
  [[0x89, 0x50, 0x4e, 0x47], 'a PNG image'],
  [[0xff, 0xd8, 0xff], 'a JPEG image'],
  [[0x47, 0x49, 0x46, 0x38], 'a GIF image'],
  [[0x25, 0x50, 0x44, 0x46], 'a PDF document'],
  [[0x50, 0x4b, 0x03, 0x04], 'a ZIP archive or office document'],
  [[0x1f, 0x8b], 'a gzip archive'],
  [[0x7f, 0x45, 0x4c, 0x46], 'a program'],
  [[0x53, 0x51, 0x4c, 0x69, 0x74, 0x65], 'a SQLite database'],
]

export function decodeText(bytes: Uint8Array): Decoded {
  if (starts(bytes, [0xef, 0xbb, 0xbf])) return decodeUtf8(bytes.subarray(3), true)
  if (starts(bytes, [0xff, 0xfe])) return text(new TextDecoder('utf-16le').decode(bytes), 'utf-16le', true)
  if (starts(bytes, [0xfe, 0xff])) return text(new TextDecoder('utf-16be').decode(bytes), 'utf-16be', true)
  const known = SIGNATURES.find(([signature]) => starts(bytes, signature))
  if (known !== undefined) return { kind: 'binary', what: known[1] }
  if (starts(bytes.subarray(8), [0x57, 0x45, 0x42, 0x50])) return { kind: 'binary', what: 'a WebP image' }
  if (bytes.subarray(0, 8192).includes(0)) return { kind: 'binary', what: 'a binary file' }
  return decodeUtf8(bytes, false)
}

export function encodeText(content: string, file: Pick<TextFile, 'encoding' | 'bom'>): Buffer {
  if (file.encoding === 'latin1') return Buffer.from(content, 'latin1')
  if (file.encoding === 'utf-8') return Buffer.from(file.bom ? `\ufeff${content}` : content, 'utf8')
  const little = Buffer.from(`\ufeff${content}`, 'utf16le')
  return file.encoding === 'utf-16le' ? little : little.swap16()
}

/** Whether the text can be written in this encoding at all. */
export function fits(content: string, encoding: Encoding): boolean {
  return encoding !== 'latin1' || !/[^\u0000-\u00ff]/.test(content)
}

function decodeUtf8(bytes: Uint8Array, bom: boolean): Decoded {
  try {
    return text(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), 'utf-8', bom)
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause
    const head = bytes.subarray(0, 8192)
    const control = head.reduce((count, byte) => count + (byte < 9 || (byte > 13 && byte < 27) || byte === 127 ? 1 : 0), 0)
    if (control > head.length / 50) return { kind: 'binary', what: 'a binary file' }
    return text(Buffer.from(bytes).toString('latin1'), 'latin1', bom)
  }
}

function text(content: string, encoding: Encoding, bom: boolean): Decoded {
  return { kind: 'text', file: { text: content, encoding, bom, lineEnd: lineEndOf(content) } }
}

export function lineEndOf(content: string): LineEnd {
  const all = content.split('\n').length - 1
  const crlf = content.split('\r\n').length - 1
  if (all === 0) return 'none'
  return crlf === 0 ? 'lf' : crlf === all ? 'crlf' : 'mixed'
}

function starts(bytes: Uint8Array, prefix: readonly number[]): boolean {
  return prefix.every((byte, at) => bytes[at] === byte)
}
