import { parseHTML } from 'linkedom'
import type { ReceivedMail } from '../providers/smtp.ts'

/**
 * Opens the page of the link in a mail, as a browser does: fills its form with these texts and
 * posts it. Returns the status and the heading of the page that answers. The server is reached at
 * `baseUrl` in place of the external URL `external`.
 */
export async function submitMailedLink(
  { text }: ReceivedMail,
  {
    baseUrl,
    external,
    filled = {},
  }: Record<'baseUrl' | 'external', string> & {
    filled?: Record<string, string>
  },
): Promise<{ status: number; heading: string }> {
  const [link = ''] = /https?:\/\/\S+/.exec(text) ?? []
  if (!link.startsWith(external)) throw new Error(`${link} is not below ${external}`)
  const url = new URL(link.slice(external.length), baseUrl)
  const { document } = parseHTML(await (await fetch(url)).text())
  const form = document.querySelector('form')
  if (form?.getAttribute('method') !== 'post') throw new Error(`no form at ${url.pathname}`)
  const fields = [...form.querySelectorAll('input')].map((input): [string, string] => {
    const name = input.getAttribute('name') ?? ''
    return [name, filled[name] ?? input.getAttribute('value') ?? '']
  })
  const target = new URL(form.getAttribute('action') ?? '', url)
  const sent = { origin: new URL(baseUrl).origin, 'sec-fetch-site': 'same-origin' }
  const answer = await fetch(target, {
    method: 'POST',
    headers: sent,
    body: new URLSearchParams(fields),
  })
  const { document: shown } = parseHTML(await answer.text())
  return { status: answer.status, heading: shown.querySelector('h1')?.textContent ?? '' }
}
