// What comes from Python, checked before anything reads it: type, shape, layout, and that nothing that is written to
// shares memory with anything else. A fault is a Python error; after the first one every call does nothing.
#pragma once

#include <Python.h>
#include <stdint.h>
#include <string.h>

// A size that several arrays share. It is known from the first array that has it.
struct Size {
    const char *letter;
    int64_t value;
    explicit Size(const char *letter, int64_t value = -1) : letter(letter), value(value) {}
};

enum Access { READ, WRITE };

template <class Number>
struct Kind;
template <>
struct Kind<double> {
    static constexpr const char *NAME = "float64", *FORMATS = "d";
};
template <>
struct Kind<int32_t> {
    static constexpr const char *NAME = "int32", *FORMATS = "il";
};
template <>
struct Kind<int64_t> {
    static constexpr const char *NAME = "int64", *FORMATS = "lq";
};
template <>
struct Kind<uint8_t> {
    static constexpr const char *NAME = "bool", *FORMATS = "?";
};

template <>
struct Kind<char> {
    static constexpr const char *NAME = "bytes", *FORMATS = "B";
};
template <>
struct Kind<float> {
    static constexpr const char *NAME = "float32", *FORMATS = "f";
};
template <>
struct Kind<uint16_t> {
    static constexpr const char *NAME = "float16", *FORMATS = "e";
};

class Door {
  public:
    bool failed = false;

    Door() = default;
    Door(const Door &) = delete;
    Door &operator=(const Door &) = delete;
    ~Door() {
        for (int64_t i = 0; i < count; ++i) PyBuffer_Release(&taken[i].view);
        if (taken != usual) PyMem_Free(taken);
    }

    // Makes room for so many arrays besides the usual ones. To be called first, since views must not move.
    void expect(int64_t more) {
        if (failed || more == 0) return;
        taken = (Taken *)PyMem_Calloc((size_t)(USUAL + more), sizeof(Taken));
        if (!taken) {
            taken = usual, failed = true;
            PyErr_NoMemory();
            return;
        }
        room = USUAL + more;
    }

    // The numbers of an array, or of `owner.name`; null if it is None and may be.
    template <class Number, int DIMENSIONS>
    Number *array(PyObject *owner, const char *name, Size *const (&shape)[DIMENSIONS], Access access = READ,
                  bool optional = false, bool is_attribute = true) {
        if (failed) return nullptr;
        PyObject *object = is_attribute ? PyObject_GetAttrString(owner, name) : Py_NewRef(owner);
        if (!object) return fail<Number>();
        Number *found = nullptr;
        if (!(optional && object == Py_None))
            found = (Number *)view(object, name, Kind<Number>::NAME, Kind<Number>::FORMATS, sizeof(Number), DIMENSIONS,
                                   shape, access);
        Py_DECREF(object);
        return found;
    }

    // An argument that is an array itself.
    template <class Number, int DIMENSIONS>
    Number *own(PyObject *object, const char *name, Size *const (&shape)[DIMENSIONS], Access access = READ,
                bool optional = false) {
        return array<Number>(object, name, shape, access, optional, false);
    }

    void refuse(const char *format, ...) {
        if (failed) return;
        va_list arguments;
        va_start(arguments, format);
        PyErr_FormatV(PyExc_ValueError, format, arguments);
        va_end(arguments);
        failed = true;
    }

    // Whether everything is as it should be; to be asked before anything is read.
    bool is_open() {
        for (int64_t i = 0; i < count && !failed; ++i)
            for (int64_t j = 0; j < count && !failed && taken[i].is_written; ++j) {
                const Py_buffer &one = taken[i].view, &other = taken[j].view;
                const char *a = (const char *)one.buf, *b = (const char *)other.buf;
                if (i != j && one.len && other.len && a < b + other.len && b < a + one.len)
                    refuse("%s is written to and shares memory with %s", taken[i].name, taken[j].name);
            }
        return !failed;
    }

  private:
    static constexpr int64_t USUAL = 48;
    struct Taken {
        Py_buffer view;
        const char *name;
        bool is_written;
    };
    Taken usual[USUAL], *taken = usual;
    int64_t count = 0, room = USUAL;

    template <class Number>
    Number *fail() {
        failed = true;
        return nullptr;
    }

    void *view(PyObject *object, const char *name, const char *kind, const char *formats, size_t bytes, int dimensions,
               Size *const *shape, Access access) {
        if (count == room) {
            refuse("too many arrays");
            return nullptr;
        }
        Py_buffer &found = taken[count].view;
        int flags = PyBUF_FORMAT | PyBUF_C_CONTIGUOUS | (access == WRITE ? PyBUF_WRITABLE : 0);
        if (PyObject_GetBuffer(object, &found, flags) < 0) {
            PyErr_Clear();
            refuse("%s must be a contiguous %sarray of %s", name, access == WRITE ? "writable " : "", kind);
            return nullptr;
        }
        taken[count].name = name;
        taken[count].is_written = access == WRITE;
        ++count;
        const char *format = found.format ? found.format : "B";
        if (*format == '@' || *format == '=' || *format == '<') ++format;
        if (strlen(format) != 1 || !strchr(formats, *format) || (size_t)found.itemsize != bytes) {
            refuse("%s must be an array of %s", name, kind);
            return nullptr;
        }
        if ((uintptr_t)found.buf % bytes) {
            refuse("%s is not aligned", name);
            return nullptr;
        }
        if (found.ndim != dimensions) {
            refuse("%s has %d dimensions, not %d", name, found.ndim, dimensions);
            return nullptr;
        }
        for (int i = 0; i < dimensions; ++i) {
            if (shape[i]->value < 0) shape[i]->value = found.shape[i];
            if (shape[i]->value != found.shape[i]) {
                refuse("%s has %zd where %s is %zd", name, found.shape[i], shape[i]->letter,
                       (Py_ssize_t)shape[i]->value);
                return nullptr;
            }
        }
        return found.buf;
    }
};
