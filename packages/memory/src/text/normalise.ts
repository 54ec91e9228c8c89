/**
 * The one way to compare texts of memory. 1. Pure and total. 2. A change of any result raises `NORMALISER`, which tombstones store.
 * 3. The key of two texts is equal only where no reader would see another value: signs that carry one (c++, 1.5, 12:45) stay.
 */
export const NORMALISER = 1

const ASCII = /^[\x00-\x7f]*$/u

// Zero-width, bidi, soft hyphen, variation selectors, tags: what the eye does not see.
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu

// Letters of other scripts that look like Latin ones; folded for comparison alone.
const CONFUSABLES = new Map(
  Object.entries({
    а: 'a',
    в: 'b',
    с: 'c',
    е: 'e',
    һ: 'h',
    і: 'i',
    ј: 'j',
    к: 'k',
    м: 'm',
    н: 'h',
    о: 'o',
    р: 'p',
    ѕ: 's',
    т: 't',
    у: 'y',
    х: 'x',
    ԁ: 'd',
    ԛ: 'q',
    ԝ: 'w',
    α: 'a',
    β: 'b',
    ε: 'e',
    η: 'n',
    ι: 'i',
    κ: 'k',
    ν: 'v',
    ο: 'o',
    ρ: 'p',
    τ: 't',
    υ: 'u',
    χ: 'x',
    ı: 'i',
    ɡ: 'g',
    ⅼ: 'l',
  }),
)
const HAS_CONFUSABLE = /[аверскнмотухһіјѕԁԛԝαβεηικνορτυχıɡⅼ]/u
const CJK = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}ー々〆'
const CJK_RUN = new RegExp(`[${CJK}]+`, 'gu')
const CJK_GAP = new RegExp(`(?<=[${CJK}]) +(?=[${CJK}])`, 'gu')
const HAS_CJK = new RegExp(`[${CJK}]`, 'u')
const HIRAGANA = /^[\p{Script=Hiragana}ー]+$/u
const MARKS = [
  [/['’ʼ‘`´]/gu, ''],
  [/(?<=\d)[–—−-](?=\d)/gu, '-'],
  [/(^|\s)[−-](?=\d)/gu, '$1-'],
  [/(?<![\d\s]|^)[-–—](?=\d)|(?<=\d)[-–—](?!\d)|(?<![\d\s]|^)[-–—]|(?<=\s)[-–—](?!\d)|^[-–—](?!\d)/gu, ' '],
] as const

/** NFKC, case and width folded, invisible characters gone, look-alikes folded. Punctuation stays. */
export function foldText(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  const folded = text
    .normalize('NFKC')
    .replace(INVISIBLE, '')
    .toUpperCase()
    .toLowerCase()
    .replace(/i\u0307/g, 'i')
  return HAS_CONFUSABLE.test(folded) ? foldConfusables(folded) : folded
}

function foldConfusables(text: string): string {
  return Array.from(text, (letter) => CONFUSABLES.get(letter) ?? letter).join('')
}

/** Texts with the same key say the same. An empty key is equal to nothing: ask `sameKey`. */
export function keyOf(text: string): string {
  let key = foldText(text)
  for (const [pattern, to] of MARKS) key = key.replace(pattern, to)
  return key
    .replace(/(?<![\p{L}\p{N}])[.:/@](?![\p{L}\p{N}])|[.:/@](?![\p{L}\p{N}])|(?<![\p{L}\p{N}])[.:/@](?=\p{L})/gu, ' ')
    .replace(/:(?!\d)|(?<!\d):/gu, ' ')
    .replace(/,(?=\d{3}(?!\d))(?<=\d,)/gu, '')
    .replace(/(?<![\p{L}+])\+(?!\d)|#(?=\s*[\p{L}\p{N}])/gu, ' ')
    .replace(/[^\p{L}\p{N}\p{M}\p{So}\p{Sc}%.:/@_+#\s-]/gu, ' ')
    .replace(/\s+/gu, ' ')
    .replace(CJK_GAP, '')
    .trim()
}

export function sameKey(one: string, other: string): boolean {
  return one !== '' && one === other
}

/** The words of a text in order: Latin and the like as written in the key, CJK runs as bigrams; script borders split. */
export function tokensOf(text: string): string[] {
  return tokensOfKey(keyOf(text))
}

export function tokensOfKey(key: string): string[] {
  const tokens: string[] = []
  for (const part of key.split(' ')) {
    if (part === '') continue
    if (!hasCjk(part)) {
      tokens.push(part)
      continue
    }
    let at = 0
    for (const run of part.matchAll(CJK_RUN)) {
      if (run.index > at) tokens.push(part.slice(at, run.index))
      tokens.push(...bigramsOf(run[0]))
      at = run.index + run[0].length
    }
    if (at < part.length) tokens.push(part.slice(at))
  }
  return tokens
}

function bigramsOf(run: string): string[] {
  const letters = Array.from(run)
  if (letters.length === 1) return letters
  return letters.slice(1).map((letter, at) => `${letters[at] ?? ''}${letter}`)
}

export function hasCjk(text: string): boolean {
  return !ASCII.test(text) && HAS_CJK.test(text)
}

export function isHiragana(token: string): boolean {
  return !ASCII.test(token) && HIRAGANA.test(token)
}

export function isAscii(text: string): boolean {
  return ASCII.test(text)
}

/** The text with every invisible or bidi character made visible, for a person who judges it. */
export function showInvisible(text: string): string {
  return text.replace(INVISIBLE, (letter) => `[U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`)
}
