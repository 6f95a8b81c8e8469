import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { configQuery } from '../../api/account-queries.ts'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { solveChallenge } from '../../api/proof-of-work.ts'
import { apiKeysQuery } from '../../api/security-queries.ts'
import { Asked } from '../../controls/asked.tsx'
import { Button } from '../../controls/button.tsx'
import { Confirmation } from '../../controls/confirmation.tsx'
import { ChoiceField, TextField } from '../../controls/field.tsx'
import { Form } from '../../controls/form.tsx'
import rows from '../../controls/rows.module.css'
import { Card } from '../../controls/screen.tsx'
import { formatInstant } from '../../format/days.ts'
import { useReader } from '../../shell/chosen-account.ts'
import { settingsWords as words } from '../../words/settings.ts'
import { Secret } from './secret.tsx'

type Body = Parameters<typeof coffer.createApiKey>[0]['body']
type Key = Awaited<ReturnType<typeof coffer.listApiKeys>>['data'][number]

/** API keys: a new key is shown once, and existing ones can be revoked. */
export function ApiKeys() {
  const { data: config } = useQuery(configQuery)
  const [made, setMade] = useState<string | null>(null)
  const { send, isSending, fault } = useChange(async ({ name, scope }: Record<string, string>) => {
    const solved = await solveChallenge('create_api_key', config?.proofOfWorkEnabled ?? false)
    const { data } = await coffer.createApiKey({ body: { name, scope, ...solved } as Body })
    return `${data.apiKeyId}:${data.secret}`
  })
  return (
    <Card title={words.keys}>
      <p>
        {words.keysText}{' '}
        <a href="./api/reference" target="_blank" rel="noreferrer">
          {words.keysReference}
        </a>
      </p>
      {made && <Secret text={words.keyShown} value={made} label={words.keys} />}
      <Form
        key={made}
        action={words.createKey}
        isSending={isSending}
        fault={fault}
        onSubmit={(values) => send(values, setMade)}
      >
        <TextField label={words.keyName} name="name" fault={fault?.problems.name} />
        <ChoiceField
          label={words.keyScope}
          name="scope"
          options={Object.entries(words.scopes).map(([value, text]) => ({ value, text }))}
        />
      </Form>
      <Known
        isProofNeeded={config?.proofOfWorkEnabled ?? false}
        onRevoked={(apiKeyId) => made?.startsWith(`${apiKeyId}:`) && setMade(null)}
      />
    </Card>
  )
}

interface KnownProps {
  isProofNeeded: boolean
  onRevoked: (apiKeyId: string) => void
}

function Known({ isProofNeeded, onRevoked }: KnownProps) {
  const reader = useReader()
  const keys = useQuery(apiKeysQuery)
  const [asked, setAsked] = useState<Key | null>(null)
  const revoke = async () => {
    const solved = await solveChallenge('delete_api_key', isProofNeeded)
    const path = { apiKeyId: asked?.apiKeyId ?? '' }
    return await coffer.deleteApiKey({ path, ...(solved ? { body: solved } : {}) } as Parameters<
      typeof coffer.deleteApiKey
    >[0])
  }
  return (
    <Asked query={keys}>
      {(all) => (
        <>
          <ul className={rows.rows}>
            {all.map((one) => (
              <li key={one.apiKeyId} className={rows.row}>
                <div>
                  <p className={rows.name}>{one.name}</p>
                  <p className={rows.soft}>
                    {words.scopes[one.scope]} ·{' '}
                    {one.lastUsedAt
                      ? words.lastUsed({ at: formatInstant(one.lastUsedAt, reader) })
                      : words.neverUsed}
                  </p>
                </div>
                <Button
                  kind="danger"
                  aria-label={words.revokeOf({ name: one.name })}
                  onClick={() => setAsked(one)}
                >
                  {words.revoke}
                </Button>
              </li>
            ))}
          </ul>
          {asked && (
            <Confirmation
              title={words.revokeTitle({ name: asked.name })}
              action={words.revoke}
              change={revoke}
              onClose={() => setAsked(null)}
              onDone={() => {
                onRevoked(asked.apiKeyId)
                setAsked(null)
              }}
            >
              {words.revokeText}
            </Confirmation>
          )}
        </>
      )}
    </Asked>
  )
}
