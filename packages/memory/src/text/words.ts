/** What of a text carries its meaning: content words, stems, numbers, names, the sign of its statement. Pure; used by every check of memory. */
import { foldText, hasCjk, isAscii, isHiragana, keyOf, tokensOf } from './normalise.ts'
import { isNegative } from './statement-words.ts'

const STOP = new Set(
  `a an the this that these those i me my mine we us our you your he him his she her it its they them their who whom which what is am are was were be been
being do does did doing done have has had having will would shall should can could may might must of in on at by for to from with without about into onto
over under as and or but if then than so too also just only very really quite please not no nor never dont doesnt didnt isnt arent wasnt wont cant im ive id
youre hes shes theyre thats theres there here now let lets ok okay yes oh well actually anymore longer more most any some all each every both one
person user persons users
ich mich mir mein meine meinen meinem meiner wir uns unser unsere du dich dir dein deine er ihn ihm sein seine sie ihr ihre es der die das den dem des ein eine einen
einem einer eines und oder aber wenn dann als wie so auch nur sehr doch bitte nicht kein keine keinen keinem nie niemals ist bin bist sind war waren sei hat habe
haben hatte wird werde werden wurde kann konnte soll sollte muss von in im an am auf bei fur zu zum zur mit ohne uber aus nach vor um dass dies diese dieser dieses
da hier jetzt mal noch schon ja nein also nutzer person eigentlich mehr immer alle alles`.split(/\s+/),
)

const CJK_WEAK =
  /^(我[的在们用喜叫住是不]|[的了是在有和就都也很吗呢吧啊请]+.?|使用|喜欢|现在|记住|[你他她它]们|用户|です|ます|する|して|った|てい|いる|いま|ます|まし|した|から|こと|もの|よう|ない|くだ|ださ|さい|です|は私|私は|私の|[はがをにでともの]+.|.[はがをにでともの])$/u

export interface Words {
  /** Stems that carry meaning, in order, without repeats. */
  readonly content: readonly string[]
  /** The content without verbs that any statement may have, where something else is left. */
  readonly value: readonly string[]
  readonly numbers: readonly string[]
  readonly isNegative: boolean
}

export function wordsOf(text: string): Words {
  const tokens = tokensOf(text)
  const content = contentOf(tokens)
  const strong = content.filter((word) => !isWeak(word))
  return { content, value: strong.length > 0 ? strong : content, numbers: numbersOf(text), isNegative: isNegative(text) }
}

export function contentWords(text: string): readonly string[] {
  return contentOf(tokensOf(text))
}

/** The content words, `localhost:8090` also as its parts. */
export function indexWords(text: string): readonly string[] {
  return [...new Set(contentWords(text).flatMap((word) => (/^[\w.]+:\d+$/u.test(word) ? word.split(':') : [word])))]
}

function contentOf(tokens: readonly string[]): string[] {
  const kept = tokens.filter((token) => !STOP.has(plainLetters(token)))
  const withoutKana = kept.filter((token) => !isHiragana(token))
  const chosen = withoutKana.some((token) => hasCjk(token)) ? withoutKana : kept
  return [...new Set(chosen.map(stem))]
}

function isWeak(word: string): boolean {
  return WEAK.has(word) || CJK_WEAK.test(word)
}

function plainLetters(token: string): string {
  if (isAscii(token)) return token
  return token.normalize('NFD').replace(/\p{M}/gu, '')
}

const SUFFIXES: readonly (readonly [string, number])[] = [
  ['ations', 5],
  ['ation', 5],
  ['ically', 5],
  ['ingen', 5],
  ['ies', 4],
  ['ing', 4],
  ['ers', 4],
  ['ern', 4],
  ['ed', 4],
  ['es', 4],
  ['en', 4],
  ['er', 4],
  ['em', 4],
  ['st', 5],
  ['ic', 5],
  ['ly', 4],
  ['s', 3],
  ['e', 3],
  ['y', 4],
  ['t', 4],
  ['n', 5],
]

/** A light stem, the same for every Latin language; words with digits, signs or CJK stay as they are. */
export function stem(token: string): string {
  if (isAscii(token) ? !/^[a-z]+$/u.test(token) : !/^\p{L}+$/u.test(token) || hasCjk(token)) return token
  let word = plainLetters(token)
  for (let round = 0; round < 3; round++) {
    const held = word
    const found = SUFFIXES.find(([suffix, least]) => held.endsWith(suffix) && held.length - suffix.length >= least && !held.endsWith('ss'))
    if (!found) break
    word = held.slice(0, -found[0].length)
  }
  return word
}

// Verbs that any statement may have: they say how, not what.
const WEAK = new Set(
  `use uses used using prefer prefers preferred like likes liked want wants need needs work works working live lives living make makes get gets go goes
keep keeps know knows call called remember remembers note say says said tell tells think thinks set name named new always currently
nutze nutzt nutzen benutze benutzt verwende verwendet verwenden mag moge mogen bevorzuge bevorzugt wohne wohnt wohnen arbeite arbeitet heisse heisst merk merke
merken bitte will mochte`
    .split(/\s+/)
    .map(stem),
)

/** Stems of one family (allerg-y, allerg-ic): good enough to keep something out, never to merge. */
export function areKin(one: string, other: string): boolean {
  if (one === other) return true
  if (hasCjk(one) || hasCjk(other) || /\d/.test(one) || /\d/.test(other)) return false
  const least = Math.min(one.length, other.length)
  if (least < 5 || Math.abs(one.length - other.length) > 4) return false
  const shared = Math.max(5, Math.ceil(least * 0.8))
  return one.slice(0, shared) === other.slice(0, shared)
}

const NUMBER_WORDS = new Map(
  'two:2 three:3 four:4 five:5 six:6 seven:7 eight:8 nine:9 ten:10 eleven:11 twelve:12 zwei:2 drei:3 vier:4 fünf:5 sechs:6 sieben:7 acht:8 neun:9 zehn:10 elf:11 zwölf:12'
    .split(' ')
    .map((pair) => pair.split(':') as [string, string]),
)

/** Each number, date, version, time or address with a digit in it, as one canonical string; sorted. */
export function numbersOf(text: string): string[] {
  const found = new Set<string>()
  for (const token of keyOf(text).split(' ')) {
    const word = NUMBER_WORDS.get(token)
    if (word !== undefined) found.add(word)
    for (const [number] of token.matchAll(/(?<![\p{L}\p{N}])-?\d+(?:[.:,/-]\d+)*|\d+(?:[.:,/-]\d+)*/gu)) found.add(number)
  }
  return [...found].sort()
}

const LETTER = '\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}\\p{M}\\p{N}'
const NAME = new RegExp(
  [
    `(?<![${LETTER}])\\p{Lu}[${LETTER}_'’-]*(?:\\+\\+|#)?`,
    `[${LETTER}]+[_./@\\\\~][${LETTER}_./@\\\\~-]*[${LETTER}]`,
    `\\p{Ll}+\\p{Lu}[${LETTER}]*`,
    `(?<=\\s|^)[~/][\\w./-]+`,
  ].join('|'),
  'gu',
)

/** Names, identifiers, paths and addresses, folded, in order of appearance. The first word of a sentence is a name only if it has more than a capital. */
export function namesOf(text: string): string[] {
  const names: string[] = []
  for (const match of text.matchAll(NAME)) {
    const [name] = match
    const isFirst = /(?:^|[.!?。！？:]\s*|^\s*[-*•]\s*)["'“„«(]*$/u.test(text.slice(0, match.index))
    const isPlainCapital = /^\p{Lu}[\p{Ll}'’]*$/u.test(name)
    if ((isFirst && isPlainCapital) || STOP.has(foldText(name).replace(/['’]/g, ''))) continue
    names.push(foldText(name))
  }
  return names
}

/** Triples of words, to see whether a text retells another. Below three words: the text itself. */
export function triplesOf(text: string): string[] {
  const tokens = tokensOf(text)
  if (tokens.length < 3) return tokens.length === 0 ? [] : [tokens.join(' ')]
  return tokens.slice(2).map((token, at) => `${tokens[at]} ${tokens[at + 1]} ${token}`)
}
