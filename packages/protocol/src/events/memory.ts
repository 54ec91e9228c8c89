/** The envelope of a memory journal's record. The body's rules live with the memory package; here is what any reader may rely on. */
import { z } from 'zod'
import { byType, createBodyDecoder } from './envelope.ts'

export const MEMORY_OPS = [
  'assert',
  'merge',
  'supersede',
  'retract',
  'suspend',
  'confirm',
  'edit',
  'reject',
  'pin',
  'share',
  'retime',
  'retier',
  'reinstate',
  'guard',
  'mined',
  'blocked',
  'conflict',
  'lapse',
  'erase.begin',
  'erase.done',
] as const
export const MemoryRecord = z.looseObject({ type: z.literal('memory'), op: z.string(), prev: z.string().optional(), base: z.number().optional() })
export const MEMORY_SCHEMAS = byType([MemoryRecord])
export const decodeMemory = createBodyDecoder(MEMORY_SCHEMAS)
