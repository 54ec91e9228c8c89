export type {
  Appended,
  AppendOptions,
  EventLog,
  LineProblem,
  LineProblemKind,
  Listener,
  LogSize,
  Page,
  PageOptions,
  ReadOptions,
  VerifyReport,
} from './event-log.ts'
export { LINE_PROBLEMS } from './event-log.ts'
export type { FileLog, FileLogDeps } from './file-log/file-log.ts'
export { openFileLog } from './file-log/file-log.ts'
export type { MemoryLogDeps } from './memory-log.ts'
export { createMemoryLog } from './memory-log.ts'
export type { BadLine } from './file-log/event-reader.ts'
export type { Redaction } from './file-log/redaction.ts'
export type { StateFileDeps, StateSchema } from './atomic-file.ts'
export { readStateFile, removeTempFiles, writeStateFile } from './atomic-file.ts'
export type { WriterLock, WriterLockOptions } from './writer-lock.ts'
export { acquireWriterLock, LockFile, readLockFile } from './writer-lock.ts'
export type { FileAccess, OpenFile, OpenMode } from './file-access.ts'
export { errorCode, nodeFiles, storageFailure } from './file-access.ts'
export { MAX_LINE_BYTES } from './line-codec.ts'
