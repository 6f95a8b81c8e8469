import { closeSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'

/** Magic numbers of programs and libraries, in hexadecimal. */
const magics: [RegExp, string][] = [
  [/^7f454c46/, 'ELF'],
  [/^(feedface|feedfacf|cefaedfe|cffaedfe)/, 'Mach-O'],
  [/^4d5a/, 'PE'],
]

/** ELF: field e_machine, at byte 18 (System V ABI); keyed by Node's names. */
const machines: Record<string, number> = { x64: 0x3e, arm64: 0xb7 }

/** Returns the paths of the files below a folder of a mounted image, without a leading slash. */
export function filesBelow(mount: string, folder: string): string[] {
  return readdirSync(join(mount, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return filesBelow(mount, path)
    return entry.isFile() ? [path] : []
  })
}

/** Returns whether a file is a program or library for another platform than this process's. */
export function isForeign(path: string): boolean {
  const head = readHead(path)
  const kind = magics.find(([magic]) => magic.test(head.toString('hex')))?.[1]
  if (kind === undefined) return false
  return kind !== 'ELF' || head.readUInt16LE(18) !== machines[process.arch]
}

function readHead(path: string): Buffer {
  const head = Buffer.alloc(20)
  const file = openSync(path, 'r')
  try {
    readSync(file, head, 0, head.length, 0)
    return head
  } finally {
    closeSync(file)
  }
}
