/** Whether an exchange is worth a model call at all. No model decides that, and what the person wanted kept out is never offered. */
import { estimateTokens } from '@nuum/protocol'
import { foldText } from '../text/normalise.ts'
import { type Evidence, typedText } from '../text/quote.ts'
import { asksToRemember, isForgetRequest, isNegative, isQuestion, isRejection } from '../text/statement-words.ts'
import { numbersOf } from '../text/words.ts'

export type GateAnswer =
  | { readonly mine: true; readonly isUrgent: boolean }
  | { readonly mine: false; readonly why: 'nothing_said' | 'small_talk' | 'too_little' | 'off' }

const MIN_TOKENS = 10
const SMALL_TALK =
  /^(?:(?:ok(?:ay|ey)?|k|kk|thanks?(?: you)?(?: so much| a lot| very much)?|thx|ty|cheers|great|good|nice|cool|perfect|awesome|yes|yep|yeah|no|nope|sure|fine|got it|understood|done|hi|hey|hello|bye|good (?:morning|night|evening)|well done|please (?:continue|go on)|continue|go on|go ahead|next|lgtm|danke(?: dir| schön| sehr)?|vielen dank|super|prima|passt|alles klar|gut|klar|ja|nein|genau|weiter|mach weiter|hallo|moin|tschüss|谢谢(?:你|您)?|多谢|好(?:的|吧|啊)?|嗯+|行|可以|收到|明白(?:了)?|知道了|对|是的|没问题|辛苦了|你好|您好|再见|继续|不错|ありがとう(?:ございます|ございました)?|どうも|はい|うん|了解(?:です|しました)?|わかりました|分かりました|お願いします|おはよう(?:ございます)?|こんにちは|こんばんは|お疲れ様(?:です|でした)?|続けて(?:ください)?|merci|gracias|obrigado|grazie|спасибо|고마워(?:요)?|감사합니다|네|응)[\s,.!。！、，~…\p{Extended_Pictographic}\p{Default_Ignorable_Code_Point}]*)+$/iu

/** `wasAsked`: the agent's last message ended in a question. Events marked *don't remember* are left out by the caller's mining as well as here. */
export function gate(exchange: readonly Evidence[], setting: 'on' | 'review' | 'off', shownTexts: readonly string[] = []): GateAnswer {
  if (setting === 'off') return { mine: false, why: 'off' }
  const said = exchange
    .filter(isMinable)
    .map(typedText)
    .filter((text) => text.trim() !== '')
  if (said.length === 0) return { mine: false, why: 'nothing_said' }
  const telling = said.filter((text) => !SMALL_TALK.test(foldText(text).trim()))
  const isAnswer = wasAsked(exchange)
  if (telling.length === 0 && !isAnswer) return { mine: false, why: 'small_talk' }
  if (telling.length === 0 && shownTexts.length === 0 && said.every((text) => foldText(text).trim().length < 3))
    return { mine: false, why: 'small_talk' }
  const isUrgent = telling.some((text) => asksToRemember(text) || isForgetRequest(text))
  const hasSign = telling.some(
    (text) =>
      isQuestion(text) ||
      isNegative(text) ||
      isRejection(text) ||
      numbersOf(text).length > 0 ||
      /\b(?:is|are|ist|heißt|my|mein\w*|i(?:'m| am| live| use| work| have| prefer| like| love| need| want)|ich (?:bin|wohne|nutze|habe|mag))\b|[=:]|是|です|我|私|僕|俺/iu.test(
        text,
      ),
  )
  const isLong = estimateTokens(telling.join(' ')) >= MIN_TOKENS
  return isUrgent || isLong || hasSign || isAnswer ? { mine: true, isUrgent } : { mine: false, why: 'too_little' }
}

export function isMinable({ author, injected, remember }: Evidence): boolean {
  return author === 'person' && injected !== true && remember !== false
}

/** A yes to a question says something. */
function wasAsked(exchange: readonly Evidence[]): boolean {
  const at = exchange.findIndex((evidence) => isMinable(evidence))
  const before = exchange
    .slice(0, at)
    .filter(({ author }) => author === 'agent')
    .at(-1)
  return before !== undefined && /[?？]\s*$/u.test(before.text.trim())
}
