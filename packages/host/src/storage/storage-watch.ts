/** Whether the disk takes what is written: the last failure stays shown until a write succeeds. */
import { type Failure, NuumError } from '@nuum/protocol'

export type StorageWatch = { readonly current: () => Failure | null; readonly failed: (cause: unknown) => void; readonly worked: () => void }

export function createStorageWatch(onChange: (failure: Failure | null) => void): StorageWatch {
  let current: Failure | null = null
  return {
    current: () => current,
    failed(cause) {
      if (!(cause instanceof NuumError) || (cause.kind !== 'storage_full' && cause.kind !== 'storage_readonly')) return
      current = cause.failure
      onChange(current)
    },
    worked() {
      if (current === null) return
      current = null
      onChange(null)
    },
  }
}
