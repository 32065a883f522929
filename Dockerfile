# The image of manifests/base: the binary that scripts/build.sh makes, on Debian slim, for user 65532, who writes nothing
# outside of the volume and /tmp.
#   docker build -t REGISTRY/asyncops:TAG .
FROM debian:12-slim AS build
WORKDIR /src
COPY scripts/install-deps.sh scripts/
RUN apt-get update && scripts/install-deps.sh && rm -rf /var/lib/apt/lists/*
COPY . .
RUN scripts/build.sh release asyncops && strip build/release/bin/asyncops

FROM debian:12-slim
# The libraries that the binary names (ldd), and the CAs of external systems.
RUN apt-get update \
    && apt-get install -y --no-install-recommends \
      ca-certificates libboost-url1.81.0 libcpp-httplib0.11 libprometheus-cpp-core1.0 libre2-9 \
      libsimdjson14 libsqlite3-0 libssl3 libyaml-cpp0.7 zlib1g \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /src/build/release/bin/asyncops /usr/local/bin/asyncops
USER 65532:65532
EXPOSE 6443
ENTRYPOINT ["/usr/local/bin/asyncops"]
CMD ["serve", "--help"]
