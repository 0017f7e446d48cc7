# The command line of blindauc, installed from the wheel in dist/:
#
#   make release
#   docker build --tag blindauc .
#   docker run --rm --user "$(id -u):$(id -g)" --volume "$PWD:/data" blindauc fit patients.csv --label infection
FROM python:3.11-slim

# LightGBM, for scores by trees, links to OpenMP, which the slim image does not have.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends libgomp1 \
    && rm -rf /var/lib/apt/lists/*

# From a mount, so that the wheel is in no layer. A shell glob cannot carry the names of extras.
RUN --mount=type=bind,source=dist,target=/dist \
    set -- /dist/blindauc-*.whl \
    && pip install --no-cache-dir "$1[cli,review,trees]"

# A user given by --user has no home here; figures and downloads need a place for their caches.
ENV HOME=/tmp

# Root in a container is root of the volumes it is given.
RUN useradd --system --no-create-home blindauc
USER blindauc
WORKDIR /data

ENTRYPOINT ["blindauc"]
CMD ["--help"]
