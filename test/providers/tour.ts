import { appendFileSync, existsSync, readFileSync } from 'node:fs'

const purchaseMs = 60_000
const purchasesMax = 10_000

/** Lines of a file: with them, a simulator has the same transactions after a restart. */
export interface Diary {
  lines: string[]
  /** Appends a line. */
  note: (line: string) => void
}

/** Reads the diary of former runs, if there is one. */
export function openDiary(file: string): Diary {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  return {
    lines,
    note: (line) => {
      appendFileSync(file, `${line}\n`)
      lines.push(line)
    },
  }
}

/** Calls `shop` every minute, until there are 10,000 purchases with the `bought` ones. */
export function shopEveryMinute(bought: number, shop: (time: Date) => void): void {
  let count = bought
  setInterval(() => {
    if (count === purchasesMax) return
    shop(new Date())
    count += 1
  }, purchaseMs)
}
