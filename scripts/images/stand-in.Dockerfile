# PostgreSQL and haproxy of docker-compose.yml where no container registry can be reached: Debian's, started as the official
# images are. For tests only.
ARG BASE_IMAGE
FROM ${BASE_IMAGE} AS haproxy
RUN apt-get update && apt-get install -y --no-install-recommends haproxy && apt-get clean && rm -rf /var/lib/apt/lists/*
CMD ["haproxy", "-W", "-db", "-f", "/usr/local/etc/haproxy/haproxy.cfg"]

FROM ${BASE_IMAGE} AS postgres
RUN apt-get update && apt-get install -y --no-install-recommends postgresql && apt-get clean && rm -rf /var/lib/apt/lists/*
ENV PGDATA=/var/lib/postgresql/data
COPY --chmod=0755 scripts/images/stand-in-postgres.sh /usr/local/bin/docker-entrypoint.sh
VOLUME /var/lib/postgresql/data
ENTRYPOINT ["docker-entrypoint.sh"]
