/**
 * How many tokens a text has, estimated by the class of each character. Deliberately on the high side: a window must not overflow.
 * One exact tokenizer for each model would be large and still wrong for the next one; a caller may calibrate with the provider's own counts.
 */
const WORD = 1 / 4
const DIGIT_OR_MARK = 1 / 2
const OTHER_LETTER = 1 / 2.5
const EAST_ASIAN = 0.85
const SYMBOL = 2

export function estimateTokens(text: string): number {
  let sum = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0x80) sum += isWordUnit(unit) ? WORD : DIGIT_OR_MARK
    else if (unit >= 0xd800 && unit < 0xdc00 && at + 1 < text.length) {
      const code = text.codePointAt(at) ?? unit
      if (code > 0xffff) at++
      sum += code >= 0x20000 && code < 0x40000 ? EAST_ASIAN : SYMBOL
    } else sum += costOf(unit)
  }
  return Math.ceil(sum)
}

function isWordUnit(unit: number): boolean {
  return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a) || unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09
}

function costOf(unit: number): number {
  if (unit < 0xc0) return DIGIT_OR_MARK // Latin-1 marks
  if (unit < 0x1100) return OTHER_LETTER // Latin, Greek, Cyrillic, Hebrew, Arabic, Indic scripts
  if (unit < 0x1200) return EAST_ASIAN // Hangul jamo
  if (unit < 0x2000) return OTHER_LETTER
  if (unit < 0x2070) return DIGIT_OR_MARK // dashes, quotes, joiners
  if (unit < 0x2e80) return SYMBOL
  if (unit < 0xd800) return EAST_ASIAN // CJK, kana, hangul
  if (unit >= 0xf900 && unit < 0xfb00) return EAST_ASIAN
  if (unit >= 0xfe00 && unit < 0xfe10) return DIGIT_OR_MARK // variation selectors
  if (unit >= 0xfe30 && unit < 0xfff0) return EAST_ASIAN // full-width forms
  return SYMBOL
}
