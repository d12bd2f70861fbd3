"""The IR of a function that Python can call directly, without ctypes and without boxing.

`wt_call` has the signature of a CPython function with METH_FASTCALL | METH_KEYWORDS, and so has `wt_general`,
to which it leaves all but the shortest way; see `quick_call`. That reads the array objects it is given, and
where all are plain C-contiguous arrays of the right shape and dtype it allocates the results, or takes those
given as `out`, and runs the code: that of one state, or that of batches where all inputs have the same
leading axes or none. Everything else it hands on, unchanged, to a Python callable.

Nothing of the running process is written into the code, so that it can be kept on disk: what it needs of
Python and NumPy stands in the table `wt_python`, which `call.py` fills after loading.
"""

from __future__ import annotations

from itertools import product
from math import prod

from ..trace.precision import DOUBLE
from .call_layout import (
    DATA,
    DIMS,
    ENTRIES,
    FLOAT,
    HELPERS,
    ITEMS,
    MOST_AXES,
    PLAIN,
    SIZE,
    TABLE,
    TYPE,
    WRITEABLE,
    Shape,
    Signature,
)
from .llvm import attributes
from .memory import LINE, STREAMED
from .quick_call import GENERAL, quick_call_text

Span = tuple[str, str]  # address and bytes


def call_text(signature: Signature) -> str:
    """IR of a module with `wt_call` and its table."""
    return _Writer(signature).text()


class _Writer:
    """Writes `wt_general`: blocks one after the other, values named by a counter."""

    def __init__(self, signature: Signature) -> None:
        self.shapes, self.results, self.precision, _ = signature
        self.n_in, self.n_out = len(self.shapes), len(self.results)
        self.lines: list[str] = []
        self.block = "start"  # the one being written
        self._count = 0

    def text(self) -> str:
        constants = "".join(
            f"@wt_shape{i} = private unnamed_addr constant [{len(shape) + 1} x i64] "
            f"[{', '.join(f'i64 {d}' for d in (*shape, 0))}]\n"  # one entry more: no array is empty
            for i, shape in enumerate([*self.shapes, *self.results])
        )
        self._arguments()
        self._inputs()
        self._one()
        self._batch()
        self._ends()
        body = "\n".join(self.lines)
        quick = quick_call_text(self.shapes, self.results)
        head = f"define internal ptr @{GENERAL}(ptr %self, ptr %args, i64 %nargs, ptr %names)"
        haste = f"noinline optnone {attributes()}"
        return f"{HELPERS}\n{constants}\n{quick}\n{head} {haste} {{\nstart:\n{body}\n}}\n"

    # Small steps -------------------------------------------------------------------------------------------

    def put(self, text: str) -> None:
        self.lines.append(f"  {text}")

    def value(self, text: str) -> str:
        self._count += 1
        self.put(f"%t{self._count} = {text}")
        return f"%t{self._count}"

    def label(self, name: str) -> None:
        self.lines.append(f"{name}:")
        self.block = name

    def fresh(self) -> str:
        self._count += 1
        return f"b{self._count}"

    def unless(self, condition: str, target: str) -> None:
        """Go to `target` unless the condition holds."""
        here = self.fresh()
        self.put(f"br i1 {condition}, label %{here}, label %{target}")
        self.label(here)

    def field(self, base: str, offset: int, kind: str = "ptr") -> str:
        return self.value(f"load {kind}, ptr {self.value(f'getelementptr i8, ptr {base}, i64 {offset}')}")

    def entry(self, name: str) -> str:
        return self.field(f"@{TABLE}", 8 * ENTRIES.index(name))

    def slot(self, array: str, index: int) -> str:
        return self.value(f"getelementptr ptr, ptr {array}, i64 {index}")

    # The parts, in the order in which they run -------------------------------------------------------------

    def _arguments(self) -> None:
        """Right number of arguments, by position; of names at most `out`."""
        self.put(f"%dims = alloca [{MOST_AXES} x i64]")
        self.put(f"%arrays = alloca [{self.n_in + self.n_out + 1} x {{ptr, i64}}]")
        self.put(f"%new = alloca [{max(self.n_out, 1)} x ptr]")
        self.unless(self.value(f"icmp eq i64 %nargs, {self.n_in}"), "slow")
        self.put("%unnamed = icmp eq ptr %names, null")
        without = self.block
        self.put("br i1 %unnamed, label %inputs, label %named")
        self.label("named")
        one = self.value(f"icmp eq i64 {self.field('%names', SIZE, 'i64')}, 1")
        same = self.value(f"icmp eq ptr {self.field('%names', ITEMS)}, {self.entry('out_name')}")
        self.unless(self.value(f"and i1 {one}, {same}"), "slow")
        self.put(f"%given = load ptr, ptr {self.slot('%args', self.n_in)}")
        with_out = self.block
        self.put("br label %inputs")
        self.label("inputs")
        self.put(f"%out = phi ptr [null, %{without}], [%given, %{with_out}]")

    def _inputs(self) -> None:
        """Address and leading axes of every input; the first batched one is the measure of the others."""
        self.leads: list[str] = []
        self.data: list[str] = []
        reference = "null"
        for i, shape in enumerate(self.shapes):
            a = self.value(f"load ptr, ptr {self.slot('%args', i)}")
            if shape == () and self.precision is DOUBLE:  # a number of Python, which is one, will do as well
                check, number, join = self.fresh(), self.fresh(), self.fresh()
                kind = self.field(a, TYPE)
                is_float, is_float64 = (
                    self.value(f"icmp eq ptr {kind}, {self.entry(name)}")
                    for name in ("float_type", "float64_type")
                )
                is_float = self.value(f"or i1 {is_float}, {is_float64}")
                self.put(f"br i1 {is_float}, label %{number}, label %{check}")
                self.label(number)
                at = self.value(f"getelementptr i8, ptr {a}, i64 {FLOAT}")
                self.put(f"br label %{join}")
                self.label(check)
                lead0, data0 = self._plain(a, i, shape)
                came_from = self.block
                self.put(f"br label %{join}")
                self.label(join)
                lead = self.value(f"phi i64 [0, %{number}], [{lead0}, %{came_from}]")
                data = self.value(f"phi ptr [{at}, %{number}], [{data0}, %{came_from}]")
            else:
                lead, data = self._plain(a, i, shape)
            self.leads.append(lead)
            self.data.append(data)
            is_batch = self.value(f"icmp sgt i64 {lead}, 0")
            none_yet = self.value(f"icmp eq ptr {reference}, null")
            is_first = self.value(f"and i1 {is_batch}, {none_yet}")
            reference = self.value(f"select i1 {is_first}, ptr {a}, ptr {reference}")
        self.reference = reference
        self.put(f"%single = icmp eq ptr {reference}, null")
        self.put("br i1 %single, label %one, label %batch")

    def _plain(self, a: str, i: int, shape: Shape) -> tuple[str, str]:
        lead = self.value(f"call i64 @wt_lead(ptr {a}, i64 {len(shape)}, ptr @wt_shape{i}, i32 {PLAIN})")
        self.unless(self.value(f"icmp sge i64 {lead}, 0"), "slow")
        return lead, self.field(a, DATA)

    def _one(self) -> None:
        """One state: run straight into the result."""
        self.label("one")
        self.put(f"%code = load ptr, ptr {self.slot(f'@{TABLE}', ENTRIES.index('one'))}")
        self.unless(self.value("icmp ne ptr %code, null"), "slow")
        self.put("%to_new = icmp eq ptr %out, null")
        self.put("br i1 %to_new, label %fresh, label %reuse")
        self.label("reuse")
        self._run_one([data for data, _ in self._given("0", "null", "1")])
        self._return_given()
        self.label("fresh")
        arrays = [
            self._allocate(k, f"i32 {len(shape)}", f"@wt_shape{self.n_in + k}")
            for k, shape in enumerate(self.results)
        ]
        self._run_one([self.field(a, DATA) for a in arrays])
        arrays = [
            self.value(f"call ptr {self.entry('to_scalar')}(ptr {a})") if shape == () else a
            for a, shape in zip(arrays, self.results, strict=True)
        ]
        self._return(arrays)

    def _run_one(self, results: list[str]) -> None:
        pointers = ", ".join(f"ptr {p}" for p in (*self.data, *results))
        self.put(f"call void %code({pointers})")

    def _allocate(self, k: int, ndim: str, dims: str, failed: str = "failed") -> str:
        """Output array k, noted so that it can be freed should a later one fail."""
        a = self.value(f"call ptr @wt_new({ndim}, ptr {dims})")
        self.put(f"store ptr {a}, ptr {self.slot('%new', k)}")
        self.unless(self.value(f"icmp ne ptr {a}, null"), f"{failed}{k}")
        return a

    def _return(self, arrays: list[str]) -> None:
        """The array itself if there is one, else a tuple."""
        if self.n_out == 1:
            self.put(f"ret ptr {arrays[0]}")
            return
        result = self.value(f"call ptr {self.entry('new_tuple')}(i64 {self.n_out})")
        for k, a in enumerate(arrays):
            self.put(f"store ptr {a}, ptr {self.slot('%new', k)}")
        self.unless(self.value(f"icmp ne ptr {result}, null"), f"failed{self.n_out}")
        for k, a in enumerate(arrays):
            self.put(
                f"store ptr {a}, ptr {self.value(f'getelementptr i8, ptr {result}, i64 {ITEMS + 8 * k}')}"
            )
        self.put(f"ret ptr {result}")

    def _batch(self) -> None:
        """A batch: all inputs have the same leading axes or none, and there is vector code."""
        self.label("batch")
        code = self.entry("batch")
        self.unless(self.value(f"icmp ne ptr {code}, null"), "slow")
        lead_dims = self.field(self.reference, DIMS)
        lead = "0"
        for i in range(self.n_in):  # the reference is the first with leading axes
            taken = self.value(f"icmp eq i64 {lead}, 0")
            lead = self.value(f"select i1 {taken}, i64 {self.leads[i]}, i64 {lead}")
        most = MOST_AXES - max(len(shape) for shape in self.results) if self.results else MOST_AXES
        self.unless(self.value(f"icmp sle i64 {lead}, {most}"), "slow")
        for i, shape in enumerate(self.shapes):
            a = self.value(f"load ptr, ptr {self.slot('%args', i)}")
            check, join = self.fresh(), self.fresh()
            self.put(f"br i1 {self.value(f'icmp eq i64 {self.leads[i]}, 0')}, label %{join}, label %{check}")
            self.label(check)
            self.unless(self.value(f"icmp eq i64 {self.leads[i]}, {lead}"), "slow")
            dims = self.field(a, DIMS)
            self.unless(self.value(f"call i1 @wt_same(ptr {dims}, ptr {lead_dims}, i64 {lead})"), "slow")
            self.put(f"br label %{join}")
            self.label(join)
            batched = self.value(f"icmp ne i64 {self.leads[i]}, 0")
            self._describe(
                i, self.data[i], self.value(f"select i1 {batched}, i64 {self._bytes(shape)}, i64 0")
            )
        count = self._copy_lead(lead_dims, lead)
        work = self.entry("work")  # none to write past the caches
        self._describe(self.n_in + self.n_out, work, "0")
        taken_at = self.value(f"getelementptr i8, ptr {work}, i64 {-LINE}")
        self.put("br i1 %unnamed, label %fresh_batch, label %reuse_batch")
        self.label("reuse_batch")
        places = self._given(lead, lead_dims, count)
        read = [(self.data[i], self._bytes_of(i, count)) for i in range(self.n_in)]
        for place, (other, size) in product(places, read):
            self._apart(place, (other, size))
        total = "0"
        for _, size in (*places, *read):
            total = self.value(f"add i64 {total}, {size}")
        self.unless(self.value(f"icmp slt i64 {total}, {STREAMED}"), "slow")
        for k, (data, _) in enumerate(places):
            self._describe(self.n_in + k, data, str(self._bytes(self.results[k])))
        self._take(work, taken_at)
        self._run_batch(code, count)
        self._leave(work, taken_at)
        self._return_given()
        self.label("fresh_batch")
        self._take(work, taken_at)
        arrays = []
        for k, shape in enumerate(self.results):
            for j, d in enumerate(shape):
                place = self.value(f"add i64 {lead}, {j}")
                self.put(f"store i64 {d}, ptr {self.value(f'getelementptr i64, ptr %dims, i64 {place}')}")
            ndim = self.value(f"trunc i64 {self.value(f'add i64 {lead}, {len(shape)}')} to i32")
            arrays.append(self._allocate(k, f"i32 {ndim}", "%dims", "left"))
            self._describe(self.n_in + k, self.field(arrays[-1], DATA), str(self._bytes(shape)))
        self._run_batch(code, count)
        self._leave(work, taken_at)
        self._return(arrays)
        for k in range(self.n_out):
            self.label(f"left{k}")
            self._leave(work, taken_at)
            self.put(f"br label %failed{k}")

    def _take(self, work: str, taken_at: str) -> None:
        """Take the memory that code needs; hand on if another thread has it."""
        here, done = self.fresh(), self.fresh()
        self.put(f"br i1 {self.value(f'icmp eq ptr {work}, null')}, label %{done}, label %{here}")
        self.label(here)
        both = self.value(f"cmpxchg ptr {taken_at}, i64 0, i64 1 acquire monotonic, align 8")
        self.put(f"br i1 {self.value(f'extractvalue {{i64, i1}} {both}, 1')}, label %{done}, label %slow")
        self.label(done)

    def _leave(self, work: str, taken_at: str) -> None:
        """Leave it to others."""
        here, done = self.fresh(), self.fresh()
        self.put(f"br i1 {self.value(f'icmp eq ptr {work}, null')}, label %{done}, label %{here}")
        self.label(here)
        self.put(f"store atomic i64 0, ptr {taken_at} release, align 8")
        self.put(f"br label %{done}")
        self.label(done)

    def _given(self, lead: str, lead_dims: str, count: str) -> list[Span]:
        """Address and bytes of the arrays of `out`: it, or the items of a tuple. No two hold the same."""
        items = ["%out"]
        if self.n_out != 1:
            is_tuple = self.value(f"icmp eq ptr {self.field('%out', TYPE)}, {self.entry('tuple_type')}")
            self.unless(is_tuple, "slow")
            self.unless(self.value(f"icmp eq i64 {self.field('%out', SIZE, 'i64')}, {self.n_out}"), "slow")
            items = [self.field("%out", ITEMS + 8 * k) for k in range(self.n_out)]
        spans: list[Span] = []
        for k, (item, shape) in enumerate(zip(items, self.results, strict=True)):
            dims = f"@wt_shape{self.n_in + k}"
            has = self.value(
                f"call i64 @wt_lead(ptr {item}, i64 {len(shape)}, ptr {dims}, i32 {PLAIN | WRITEABLE})"
            )
            self.unless(self.value(f"icmp eq i64 {has}, {lead}"), "slow")
            same = self.value(f"call i1 @wt_same(ptr {self.field(item, DIMS)}, ptr {lead_dims}, i64 {lead})")
            self.unless(same, "slow")
            span = self.field(item, DATA), self.value(f"mul i64 {count}, {self._bytes(shape)}")
            for other in spans:
                self._apart(span, other)
            spans.append(span)
        return spans

    def _bytes_of(self, i: int, count: str) -> str:
        """Of an input: all states, or one that serves all."""
        times = self.value(f"select i1 {self.value(f'icmp eq i64 {self.leads[i]}, 0')}, i64 1, i64 {count}")
        return self.value(f"mul i64 {times}, {self._bytes(self.shapes[i])}")

    def _apart(self, one: Span, other: Span) -> None:
        """Hand on what shares memory."""
        begins = [self.value(f"ptrtoint ptr {span[0]} to i64") for span in (one, other)]
        end, other_end = (
            self.value(f"add i64 {begin}, {span[1]}")
            for begin, span in zip(begins, (one, other), strict=True)
        )
        before = self.value(f"icmp ule i64 {end}, {begins[1]}")
        behind = self.value(f"icmp ule i64 {other_end}, {begins[0]}")
        self.unless(self.value(f"or i1 {before}, {behind}"), "slow")

    def _return_given(self) -> None:
        self.put(f"call void {self.entry('incref')}(ptr %out)")
        self.put("ret ptr %out")

    def _describe(self, index: int, data: str, stride: str) -> None:
        at = self.value(f"getelementptr {{ptr, i64}}, ptr %arrays, i64 {index}")
        self.put(f"store ptr {data}, ptr {at}")
        self.put(f"store i64 {stride}, ptr {self.value(f'getelementptr i8, ptr {at}, i64 8')}")

    def _copy_lead(self, lead_dims: str, lead: str) -> str:
        """Put the leading axes into %dims; their product is the number of states."""
        before, loop, done = self.block, self.fresh(), self.fresh()
        self.put(f"br label %{loop}")
        self.label(loop)
        self.put(f"%axis = phi i64 [0, %{before}], [%axis1, %{loop}]")
        self.put(f"%count = phi i64 [1, %{before}], [%count1, %{loop}]")
        length = self.value(f"load i64, ptr {self.value(f'getelementptr i64, ptr {lead_dims}, i64 %axis')}")
        self.put(f"store i64 {length}, ptr {self.value('getelementptr i64, ptr %dims, i64 %axis')}")
        self.put(f"%count1 = mul i64 %count, {length}")
        self.put("%axis1 = add i64 %axis, 1")
        self.put(f"br i1 {self.value(f'icmp slt i64 %axis1, {lead}')}, label %{loop}, label %{done}")
        self.label(done)
        return "%count1"

    def _run_batch(self, code: str, count: str) -> None:
        """Run, without the interpreter's lock if it takes long enough to matter."""
        long_way, short_way, join = self.fresh(), self.fresh(), self.fresh()
        long_from = self.value(f"ptrtoint ptr {self.entry('long')} to i64")
        is_long = self.value(f"icmp sge i64 {count}, {long_from}")
        self.put(f"br i1 {is_long}, label %{long_way}, label %{short_way}")
        self.label(long_way)
        state = self.value(f"call ptr {self.entry('release')}()")
        self.put(f"call void {code}(ptr %arrays, i64 0, i64 {count})")
        self.put(f"call void {self.entry('resume')}(ptr {state})")
        self.put(f"br label %{join}")
        self.label(short_way)
        self.put(f"call void {code}(ptr %arrays, i64 0, i64 {count})")
        self.put(f"br label %{join}")
        self.label(join)

    def _ends(self) -> None:
        """The ways out: free what was allocated before a failure; hand over to Python."""
        for k in range(self.n_out, -1, -1):
            self.label(f"failed{k}")
            if k == 0:
                self.put("ret ptr null")
            else:
                a = self.value(f"load ptr, ptr {self.slot('%new', k - 1)}")
                self.put(f"call void {self.entry('decref')}(ptr {a})")
                self.put(f"br label %failed{k - 1}")
        self.label("slow")
        call = self.entry("vectorcall")
        result = self.value(f"call ptr {call}(ptr {self.entry('slow')}, ptr %args, i64 %nargs, ptr %names)")
        self.put(f"ret ptr {result}")

    def _bytes(self, shape: Shape) -> int:
        """Of an array of this shape."""
        return self.precision.bytes * prod(shape)
