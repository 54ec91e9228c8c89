/** What each server answers when the prompt does not fit its window. */
import { isObject, type JsonObject } from '../json-access.ts'
import { promptElements, tokensOf } from '../prompt-elements.ts'
import type { Refusal } from '../script.ts'
import type { StrictInput } from './strict.ts'

function outputLimit(body: JsonObject): number {
  const limit = body['max_completion_tokens'] ?? body['max_tokens'] ?? body['max_output_tokens']
  return typeof limit === 'number' ? limit : 0
}

export function* overflow(input: StrictInput): Generator<Refusal> {
  const window = input.model.window
  if (window === undefined || !isObject(input.body)) return
  const prompt = tokensOf(promptElements(input.wire, input.body, false))
  const output = outputLimit(input.body)
  if (input.wire === 'messages') yield* anthropicOverflow(prompt, output, window, input)
  else if (prompt > window) yield openaiOverflow(input, prompt, output, window)
  else if (input.dialect === 'deepseek' && prompt + output > window) yield deepseekOverflow(prompt, output, window)
}

function* anthropicOverflow(prompt: number, output: number, window: number, input: StrictInput): Generator<Refusal> {
  if (prompt > window) yield { rule: 'context', status: 400, message: `prompt is too long: ${prompt} tokens > ${window} maximum` }
  if (prompt + output > window && input.model.thinking === 'budget') {
    const message = `input length and \`max_tokens\` exceed context limit: ${prompt} + ${output} > ${window}, decrease input length or \`max_tokens\` and try again`
    yield { rule: 'context', status: 400, message }
  }
}

function deepseekOverflow(prompt: number, output: number, window: number): Refusal {
  const message = `This model's maximum context length is ${window} tokens. However, you requested ${prompt + output} tokens (${prompt} in the messages, ${output} in the completion). Please reduce the length of the messages or completion.`
  return { rule: 'context', status: 400, message, code: 'invalid_request_error' }
}

function openaiOverflow(input: StrictInput, prompt: number, output: number, window: number): Refusal {
  const rule = 'context'
  const status = 400
  const code = 'context_length_exceeded'
  switch (input.dialect) {
    case 'deepseek':
      return deepseekOverflow(prompt, output, window)
    case 'llamacpp': {
      const message = `request (${prompt} tokens) exceeds the available context size (${window} tokens), try increasing it`
      return {
        rule,
        status,
        message,
        body: { error: { code: 400, message, type: 'exceed_context_size_error', n_prompt_tokens: prompt, n_ctx: window } },
      }
    }
    case 'vllm': {
      const message = `This model's maximum context length is ${window} tokens. However, you requested ${output} output tokens and your prompt contains at least ${prompt} input tokens, for a total of at least ${prompt + output} tokens. Please reduce the length of the input prompt or the number of requested output tokens. (parameter=input_tokens, value=${prompt})`
      return { rule, status, message, type: 'BadRequestError', param: 'input_tokens' }
    }
    case 'openrouter': {
      const message = `This endpoint's maximum context length is ${window} tokens. However, you requested about ${prompt + output} tokens (${prompt} of text input, ${output} in the output). Please reduce the length of either one.`
      return { rule, status, message }
    }
    case 'mistral':
      return {
        rule,
        status,
        message: `Prompt contains ${prompt} tokens and 0 draft tokens, too large for model with ${window} maximum context length`,
        type: 'invalid_request_message_order',
        code: '3051',
      }
    case 'openai':
      if (input.wire === 'chat') {
        const message = `This model's maximum context length is ${window} tokens. However, your messages resulted in ${prompt} tokens. Please reduce the length of the messages.`
        return { rule, status, message, param: 'messages', code }
      }
      return {
        rule,
        status,
        message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
        param: 'input',
        code,
      }
    default:
      return { rule, status, message: `Input length (${prompt}) exceeds model's maximum context length (${window}).`, code: null }
  }
}
