/** The only module that builds a path of the home. Ids come in checked (`a_…`), so no name of a person's choosing ever is a path. */
import { join } from 'node:path'
import type { AgentId } from '@nuum/protocol'

export type Paths = ReturnType<typeof createPaths>

export function createPaths(home: string) {
  const agentsDir = join(home, 'agents')
  const agent = (id: AgentId) => {
    const dir = join(agentsDir, id)
    return {
      dir,
      profile: join(dir, 'profile.json'),
      settings: join(dir, 'settings.json'),
      transcript: join(dir, 'transcript.jsonl'),
      wakes: join(dir, 'wakes.jsonl'),
      cursor: join(dir, 'read-cursor.json'),
      draft: join(dir, 'draft.json'),
      memory: join(dir, 'memory'),
      scratch: join(dir, 'scratch'),
      shellHome: join(dir, 'scratch', '.home'),
      terminals: join(dir, 'terminals'),
      promptCache: join(dir, 'prompt-cache.json'),
    }
  }
  return {
    home,
    marker: join(home, 'nuum.json'),
    lock: join(home, 'host.lock'),
    settings: join(home, 'settings.json'),
    models: join(home, 'models.json'),
    secrets: join(home, 'secrets.bin'),
    secretsKey: join(home, 'secrets.key'),
    usage: join(home, 'usage.jsonl'),
    approvals: join(home, 'approvals.jsonl'),
    agentsDir,
    worksDir: join(home, 'works'),
    memoryDir: join(home, 'memory'),
    blobsDir: join(home, 'blobs'),
    trashDir: join(home, 'trash'),
    backupsDir: join(home, 'backups'),
    tmpDir: join(home, 'tmp'),
    logDir: join(home, 'log'),
    indexDir: join(home, 'index'),
    blob: (sha256: string) => join(home, 'blobs', sha256),
    trashed: (name: string) => join(home, 'trash', name),
    agent,
  } as const
}
