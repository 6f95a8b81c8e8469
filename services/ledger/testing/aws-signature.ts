import { createHash, createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

const pattern =
  /^AWS4-HMAC-SHA256 Credential=[^/]+\/(\d{8})(\/\S+), SignedHeaders=(\S+), Signature=(\w+)$/

/**
 * Returns whether the `Authorization` header of a request is a valid AWS Signature Version 4 made
 * with this secret ("Authenticating Requests" of Amazon S3).
 */
export function isSigned({ method, url = '', headers }: IncomingMessage, secret: string): boolean {
  const [, date = '', scope = '', names = '', signature] =
    pattern.exec(headers.authorization ?? '') ?? []
  const [path, query = ''] = url.split('?')
  const signed = names.split(';').map((name) => `${name}:${headers[name]}\n`)
  const payload = headers['x-amz-content-sha256']
  const asked = [method, path, sorted(query), signed.join(''), names, payload].join('\n')
  const digest = createHash('sha256').update(asked).digest('hex')
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], date + scope, digest].join('\n')
  const steps = scope.slice(1).split('/')
  const key = [date, ...steps].reduce<string | Buffer>(sign, `AWS4${secret}`)
  return sign(key, text).toString('hex') === signature
}

function sign(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

function sorted(query: string): string {
  return query
    .split('&')
    .map((pair) => (pair.includes('=') || pair === '' ? pair : `${pair}=`))
    .sort()
    .join('&')
}
