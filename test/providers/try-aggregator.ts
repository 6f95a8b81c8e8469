import { openPlaidTour } from './plaid-tour.ts'
import { shopEveryMinute } from './tour.ts'

// The Plaid of `npm start -- --try-aggregator`. Arguments: port, data directory, keys of the
// client, origin for webhooks.

const announceMs = 2_000

const [port, dataDir = '', clientId = '', secret = '', webhookOrigin = ''] = process.argv.slice(2)

const tour = await openPlaidTour({ port: Number(port), dataDir, clientId, secret, webhookOrigin })
shopEveryMinute(tour.bought, tour.shop)
setInterval(() => void tour.announce(), announceMs)
