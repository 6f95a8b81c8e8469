import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { moveIn } from './feed-household.ts'
import { startLunchFlow } from './lunch-flow.ts'

// The feed of `npm start -- --try-feed`. Arguments: port, API key, data directory.

const purchaseMs = 60_000
const purchasesMax = 10_000

const [port, apiKey = '', dataDir = ''] = process.argv.slice(2)

// The time of the first start and of each purchase: after a restart the bank has the same rows.
const file = join(dataDir, 'try-feed')
if (!existsSync(file)) note(new Date())
const [start = new Date(), ...bought] = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map((time) => new Date(time))

const provider = await startLunchFlow({ port: Number(port), apiKey })
const { shop } = moveIn(provider, start)
for (const time of bought) shop(time)
let count = bought.length
setInterval(() => {
  if (count === purchasesMax) return
  const now = new Date()
  note(now)
  shop(now)
  count += 1
}, purchaseMs)

function note(time: Date): void {
  appendFileSync(file, `${time.toISOString()}\n`)
}
