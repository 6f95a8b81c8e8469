import { nameOf, type Storage, type StoredBytes } from './storage.ts'

const pageSize = 200

/**
 * Copies the files that `to` lacks from `from`, without drafts. Idempotent, so it can be repeated
 * after an interruption. Returns the number of copied files, and of objects that `to` had before.
 */
export async function copyFiles(
  from: Storage,
  to: Storage,
): Promise<{ copied: number; present: number }> {
  const present = new Set<string>()
  for await (const { name } of listAll(to)) present.add(name)
  let copied = 0
  for await (const { key } of listAll(from)) {
    if (key === null || present.has(nameOf(key))) continue
    const bytes = await from.read(key)
    // Null: the file was deleted meanwhile, because its import ended.
    if (bytes === null) continue
    await to.write(key, streamOf(bytes))
    copied += 1
  }
  return { copied, present: present.size }
}

async function* listAll(storage: Storage): AsyncGenerator<StoredBytes> {
  let after = ''
  for (;;) {
    const { held, next } = await storage.list({ after, limit: pageSize })
    yield* held
    if (next === null) return
    after = next
  }
}

async function* streamOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
