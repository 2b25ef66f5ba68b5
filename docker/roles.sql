-- Two roles for Copydesk: copydesk_migrate owns the tables, copydesk reads and writes their rows.
-- compose.yaml runs this when it creates the database. Elsewhere, run it once as a superuser in an
-- empty database, and give both roles a password:
--
--   psql --dbname=copydesk --file=roles.sql
--   psql --dbname=copydesk --command='\password copydesk' --command='\password copydesk_migrate'
CREATE ROLE copydesk_migrate LOGIN;
CREATE ROLE copydesk LOGIN;
GRANT USAGE, CREATE ON SCHEMA public TO copydesk_migrate;
GRANT USAGE ON SCHEMA public TO copydesk;
ALTER DEFAULT PRIVILEGES FOR ROLE copydesk_migrate IN SCHEMA public
    GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO copydesk;
ALTER DEFAULT PRIVILEGES FOR ROLE copydesk_migrate IN SCHEMA public
    GRANT USAGE ON SEQUENCES TO copydesk;
