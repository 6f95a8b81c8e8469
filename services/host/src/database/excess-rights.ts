import type pg from 'pg'

/** A service's role, and the schema that it may use. */
export interface RoleInSchema {
  name: string
  schema: string
}

const attributes = {
  rolsuper: 'NOSUPERUSER',
  rolcreatedb: 'NOCREATEDB',
  rolcreaterole: 'NOCREATEROLE',
  rolreplication: 'NOREPLICATION',
  rolbypassrls: 'NOBYPASSRLS',
} as const

/**
 * Least privilege: returns the statements that revoke the rights which a service does not need:
 * attributes of administrators, membership in other roles, rights on other schemas and their
 * tables, CREATE. Only rights that the role has are revoked, because most need their grantor to
 * revoke them.
 */
export async function excessStatements(client: pg.Client, of: RoleInSchema): Promise<string[]> {
  const role = client.escapeIdentifier(of.name)
  const schema = client.escapeIdentifier(of.schema)
  const { rows } = await client.query<{ statement: string }>(excess, [of.name, of.schema])
  return [
    ...(await attributeStatements(client, of.name)),
    ...rows.map(({ statement }) => statement),
    `REVOKE CREATE ON SCHEMA ${schema} FROM ${role}`,
    `REVOKE REFERENCES, TRIGGER ON ALL TABLES IN SCHEMA ${schema} FROM ${role}`,
  ]
}

async function attributeStatements(client: pg.Client, name: string): Promise<string[]> {
  const { rows } = await client.query('SELECT * FROM pg_roles WHERE rolname = $1', [name])
  const had = Object.entries(attributes).filter(([column]) => rows[0]?.[column])
  // Lists only attributes that are on: with some attributes, ALTER ROLE requires a superuser even
  // if their value does not change.
  return had.map(([, off]) => `ALTER ROLE ${client.escapeIdentifier(name)} ${off}`)
}

/**
 * Throws if a role still has a right that opens the tables of another service: granted by another
 * role, or to PUBLIC, or because the role owns something.
 */
export async function requireOnlyOwnRights(client: pg.Client, of: RoleInSchema): Promise<void> {
  const { rows } = await client.query<{ fault: string }>(remaining, [of.name, of.schema])
  const [first] = rows
  if (first) throw new Error(`the role ${of.name} ${first.fault}: take it away as its grantor`)
}

const others = `nspname NOT IN ($2, 'information_schema') AND nspname !~ '^pg_'`

// Selects the statements that revoke rights outside the service's schema. The last one is for
// PUBLIC (grantee 0), which may create objects in the schema `public` before Postgres 15.
const excess = `
  WITH own AS (SELECT oid FROM pg_roles WHERE rolname = $1)
  SELECT format('REVOKE %I FROM %I', granted.rolname, $1) AS statement
  FROM pg_auth_members JOIN own ON own.oid = member JOIN pg_roles AS granted ON granted.oid = roleid
  UNION ALL
  SELECT format('REVOKE ALL ON SCHEMA %I FROM %I', nspname, $1) FROM pg_namespace
  WHERE ${others} AND EXISTS (SELECT FROM aclexplode(nspacl), own WHERE grantee = own.oid)
  UNION ALL
  SELECT format('REVOKE ALL ON %s %I.%I FROM %I',
    CASE relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END, nspname, relname, $1)
  FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
  WHERE ${others} AND EXISTS (SELECT FROM aclexplode(relacl), own WHERE grantee = own.oid)
  UNION ALL
  SELECT format('ALTER DEFAULT PRIVILEGES FOR ROLE %I%s REVOKE ALL ON %s FROM %I',
    pg_get_userbyid(defaclrole), CASE WHEN nspname IS NULL THEN ''
      ELSE format(' IN SCHEMA %I', nspname) END,
    CASE defaclobjtype WHEN 'S' THEN 'SEQUENCES' ELSE 'TABLES' END, $1)
  FROM pg_default_acl LEFT JOIN pg_namespace ON pg_namespace.oid = defaclnamespace
  WHERE nspname IS DISTINCT FROM $2 AND defaclobjtype IN ('r', 'S')
    AND EXISTS (SELECT FROM aclexplode(defaclacl), own WHERE grantee = own.oid)
  UNION ALL
  SELECT format('REVOKE CREATE ON DATABASE %I FROM %I', datname, $1) FROM pg_database
  WHERE datname = current_database() AND EXISTS (
    SELECT FROM aclexplode(datacl), own WHERE grantee = own.oid AND privilege_type = 'CREATE')
  UNION ALL
  SELECT 'REVOKE CREATE ON SCHEMA public FROM PUBLIC' FROM pg_namespace
  WHERE nspname = 'public' AND EXISTS (
    SELECT FROM aclexplode(nspacl) WHERE grantee = 0 AND privilege_type = 'CREATE')`

// Selects the rights that open another schema. A schema belongs to a service if it has a table of
// applied migrations.
const remaining = `
  SELECT format('is a member of %I', granted.rolname) AS fault
  FROM pg_auth_members JOIN pg_roles AS own ON own.oid = member AND own.rolname = $1
    JOIN pg_roles AS granted ON granted.oid = roleid
  UNION ALL
  SELECT format('may use the schema %I', nspname) FROM pg_namespace
  WHERE ${others} AND to_regclass(format('%I.applied_migrations', nspname)) IS NOT NULL
    AND has_schema_privilege($1, oid, 'USAGE')
  UNION ALL
  SELECT format('owns %s', oid::regclass) FROM pg_class WHERE pg_get_userbyid(relowner) = $1
  UNION ALL
  SELECT format('owns the schema %I', nspname) FROM pg_namespace
  WHERE pg_get_userbyid(nspowner) = $1
  UNION ALL
  SELECT format('owns the database %I', datname) FROM pg_database
  WHERE pg_get_userbyid(datdba) = $1`
