// Starts a stack, prints its database URL as JSON, and runs until it is killed.

import { startStack } from '../src/stack.ts'
import { quietProgress } from './scratch.ts'

const [dataDir = '', ...ports] = process.argv.slice(2)
const [postgres = 0, nats = 0, temporal = 0] = ports.map(Number)
const stack = await startStack({
  dataDir,
  ports: { postgres, nats, temporal },
  log: quietProgress(),
  env: {
    ...process.env,
    COFFER_DATABASE_URL: '',
    COFFER_NATS_URL: '',
    COFFER_TEMPORAL_ADDRESS: '',
  },
})
console.log(JSON.stringify({ databaseUrl: stack.databaseUrl }))
setInterval(() => {}, 60_000)
