import { join } from 'node:path'
import { moveIn } from './feed-household.ts'
import { startLunchFlow } from './lunch-flow.ts'
import { openDiary, shopEveryMinute } from './tour.ts'

// The feed of `npm start -- --try-feed`. Arguments: port, data directory, API key.

const [port, dataDir = '', apiKey = ''] = process.argv.slice(2)

// The time of the first start and of each purchase.
const { lines, note } = openDiary(join(dataDir, 'try-feed'))
if (lines.length === 0) note(new Date().toISOString())
const [start = new Date(), ...bought] = lines.map((line) => new Date(line))

const provider = await startLunchFlow({ port: Number(port), apiKey })
const { shop } = moveIn(provider, start)
for (const time of bought) shop(time)
shopEveryMinute(bought.length, (time) => {
  note(time.toISOString())
  shop(time)
})
