import { fileURLToPath } from 'node:url'
import { onDemand } from '@coffer/kit/service/on-demand'
import { Eta } from 'eta'
import type { Letter } from './mail.ts'

export interface OutgoingMail {
  /** Part of the Message-ID header, by which mail programs recognize a second copy. */
  mailId: string
  to: string
  letter: Letter
}

export interface MailServer {
  /** Sends a mail. Throws if the server does not accept it. */
  send: (mail: OutgoingMail) => Promise<void>
  close: () => Promise<void>
}

export interface MailServerOptions {
  /** URL smtp:// (STARTTLS) or smtps://, with name and password if the server requires them. */
  smtpUrl: string
  smtpTls: 'required' | 'none'
  sender: string
}

const timeoutMs = 10_000
const connectionsMax = 2

const views = fileURLToPath(new URL('../../mails', import.meta.url))
const text = new Eta({ views, autoEscape: false, defaultExtension: '.txt.eta' })
const html = new Eta({ views, autoEscape: true, defaultExtension: '.html.eta' })

/** Returns a client that sends over SMTP (RFC 5321); it connects with the first mail. */
export function createMailServer({ smtpUrl, smtpTls, sender }: MailServerOptions): MailServer {
  const { protocol, hostname, port, username, password } = new URL(smtpUrl)
  const isSecure = protocol === 'smtps:'
  // On demand: the library is large, and many deployments send no mail.
  const open = onDemand(async () => {
    const { createTransport } = await import('nodemailer')
    return createTransport({
      pool: true,
      maxConnections: connectionsMax,
      host: hostname,
      port: Number(port) || (isSecure ? 465 : 587),
      secure: isSecure,
      requireTLS: smtpTls === 'required',
      ignoreTLS: smtpTls === 'none',
      ...(username
        ? { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }
        : {}),
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      dnsTimeout: timeoutMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
  })
  const domain = sender.slice(sender.lastIndexOf('@') + 1)
  return {
    send: async ({ mailId, to, letter }) => {
      const transport = await open()
      await transport.sendMail({
        from: { name: 'Coffer', address: sender },
        to: { name: '', address: to },
        subject: letter.subject,
        messageId: `<${mailId}@${domain}>`,
        text: text.render('letter', letter),
        html: html.render('letter', letter),
        headers: { 'Auto-Submitted': 'auto-generated', 'Content-Language': letter.language },
      })
    },
    close: async () => (await open.opened())?.close(),
  }
}

/**
 * Returns whether a retry is pointless: a 5xx reply to the mail or its recipient. A 5xx reply to
 * the SMTP login is retried, because the operator can correct it.
 */
export function isRefusedForGood(error: unknown): boolean {
  const { responseCode = 0, code } = Object(error) as { responseCode?: number; code?: string }
  return responseCode >= 500 && (code === 'EENVELOPE' || code === 'EMESSAGE')
}
